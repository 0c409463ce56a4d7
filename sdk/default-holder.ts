/** What a holder is called that gave itself no label: host name and process id, or nothing where they are not told. */
export function defaultHolder(): string | undefined {
  try {
    const os = globalThis.process?.getBuiltinModule?.('node:os');
    return os ? `${os.hostname()} pid ${globalThis.process.pid}`.slice(0, 200) : undefined;
  } catch {
    // Deno asks for a permission of its own to name the host: a label is not worth one.
    return undefined;
  }
}
