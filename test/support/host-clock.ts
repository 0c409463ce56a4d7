/** Milliseconds of the machine's monotonic clock: the same for every process on it. */
export function hostMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
