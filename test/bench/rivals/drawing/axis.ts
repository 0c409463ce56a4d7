/** From values to places on the paper, and where it is labelled. */
export interface Axis {
  place(value: number): number;
  readonly ticks: readonly number[];
}

/**
 * An axis from one place to another that has room for all values: from 0, or by powers of ten.
 *
 * @throws RangeError for no value at all, or one that cannot stand on such an axis
 */
export function axisOf(
  values: readonly number[],
  from: number,
  to: number,
  { logarithmic = false }: { logarithmic?: boolean } = {},
): Axis {
  const unfit = values.find((value) => !(Number.isFinite(value) && (logarithmic ? value > 0 : value >= 0)));
  if (values.length === 0 || unfit !== undefined) {
    const rule = logarithmic ? 'above 0' : '0 or above';
    throw new RangeError(`a chart takes finite numbers ${rule}, at least one, got ${unfit ?? 'none'}`);
  }
  return logarithmic ? powersOfTen(values, from, to) : fromZero(values, from, to);
}

function powersOfTen(values: readonly number[], from: number, to: number): Axis {
  const first = Math.floor(Math.log10(Math.min(...values)));
  const last = Math.max(first + 1, Math.ceil(Math.log10(Math.max(...values))));
  return {
    place: (value) => from + ((Math.log10(value) - first) / (last - first)) * (to - from),
    ticks: Array.from({ length: last - first + 1 }, (_, at) => 10 ** (first + at)),
  };
}

function fromZero(values: readonly number[], from: number, to: number): Axis {
  const highest = Math.max(...values) || 1;
  // 1, 2 or 5 times a power of ten, so that there are 4 to 10 of them.
  const power = 10 ** Math.floor(Math.log10(highest / 4));
  const step = [5, 2, 1].map((each) => each * power).find((each) => highest / each >= 4) ?? power;
  const count = Math.ceil(highest / step - 1e-9);
  const end = count * step;
  return {
    place: (value) => from + (value / end) * (to - from),
    ticks: Array.from({ length: count + 1 }, (_, at) => at * step),
  };
}

/** How a number stands beside an axis, or behind a bar. */
export function label(value: number): string {
  return value === 0 || Math.abs(value) >= 1e-3 ? String(Number(value.toPrecision(3))) : value.toExponential(0);
}
