// Loaded before a program of a chaos run: its wall clock is off from the host's, from its first line on, and may be set
// while it runs. The monotonic clock is the host's.

/** What a program of a chaos run is told about its clock. */
export interface ClockMessage {
  readonly kind: 'clock';
  readonly clockOffsetMs: number;
}

const HostDate = Date;
let offsetMs = Number(process.env['CHAOS_CLOCK_OFFSET_MS'] ?? 0);
const now = () => HostDate.now() + offsetMs;

globalThis.Date = class extends HostDate {
  constructor(...given: unknown[]) {
    super(...((given.length === 0 ? [now()] : given) as [number]));
  }

  static override now(): number {
    return now();
  }
} as DateConstructor;

process.on('message', (message: ClockMessage | { readonly kind: 'other' }) => {
  if (message.kind === 'clock') offsetMs = message.clockOffsetMs;
});
