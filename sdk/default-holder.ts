/** What a holder is called that gave itself no label: host name and process id, or nothing where there are none. */
export function defaultHolder(): string | undefined {
  const os = globalThis.process?.getBuiltinModule?.('node:os');
  return os ? `${os.hostname()} pid ${globalThis.process.pid}`.slice(0, 200) : undefined;
}
