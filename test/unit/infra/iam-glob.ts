/** Whether an IAM resource pattern matches an ARN. `*` is any text, slashes and none included; `?` is one character. */
export function iamMatches(pattern: string, arn: string): boolean {
  const expression = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${expression}$`, 's').test(arn);
}
