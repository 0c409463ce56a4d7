/** A process warning with a stable code; nothing where the runtime has no such thing. */
export function warn(code: `holdfast-${string}`, message: string): void {
  globalThis.process?.emitWarning?.(message, { type: 'HoldfastWarning', code });
}
