import { element, rounded } from './elements.ts';

/** How one series is told from the others, by more than its colour. */
export interface Stroke {
  readonly colour: string;
  /** Lengths of its dashes and gaps; nothing: it has no gaps. */
  readonly dashes?: string;
  /** Its mark, as an outline round 0,0: what lies below shows through. */
  readonly mark: string;
}

// All but the one that is drawn first have gaps, which what lies wholly below them is seen through.
const strokes: readonly Stroke[] = [
  { colour: '#1b6ca8', mark: 'M-4,0A4,4 0 1 0 4,0A4,4 0 1 0 -4,0' },
  { colour: '#d1495b', dashes: '9 5', mark: 'M-4,-4H4V4H-4Z' },
  { colour: '#2e8b57', dashes: '3 4', mark: 'M0,-5L5,4H-5Z' },
  { colour: '#c98a00', dashes: '9 3 2 3', mark: 'M0,5L5,-4H-5Z' },
  { colour: '#7b4fa3', dashes: '16 6', mark: 'M0,-6L6,0L0,6L-6,0Z' },
  { colour: '#555555', dashes: '2 6', mark: 'M-5,0H5M0,-5V5' },
  { colour: '#00a6a6', dashes: '12 3 2 3 2 3', mark: 'M-4,-4L4,4M-4,4L4,-4' },
  { colour: '#b5651d', dashes: '6 8', mark: 'M-7,0A7,7 0 1 0 7,0A7,7 0 1 0 -7,0' },
  { colour: '#c71585', dashes: '16 4 4 4', mark: 'M-6,-6H6V6H-6Z' },
];

/** That of a series by its place; those of a tenth and more come again, all with gaps. */
export function strokeOf(series: number): Stroke {
  const again = series === 0 ? 0 : 1 + ((series - 1) % (strokes.length - 1));
  return strokes[again] as Stroke;
}

export function drawnLine(places: readonly (readonly [number, number])[], { colour, dashes }: Stroke): string {
  return element('polyline', {
    points: places.map((place) => place.map(rounded).join(',')).join(' '),
    fill: 'none',
    stroke: colour,
    'stroke-width': 2,
    ...(dashes !== undefined && { 'stroke-dasharray': dashes }),
  });
}

export function drawnMark([x, y]: readonly [number, number], { colour, mark }: Stroke): string {
  return element('path', {
    d: mark,
    transform: `translate(${rounded(x)} ${rounded(y)})`,
    fill: 'none',
    stroke: colour,
    'stroke-width': 1.5,
  });
}
