const expressions = new Map<string, RegExp>();

/** Whether an IAM resource pattern matches an ARN. `*` is any text, slashes and none included; `?` is one character. */
export function iamMatches(pattern: string, arn: string): boolean {
  const expression = expressions.get(pattern) ?? expressionOf(pattern);
  expressions.set(pattern, expression);
  return expression.test(arn);
}

function expressionOf(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's');
}
