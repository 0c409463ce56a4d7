/** An SVG element; its children are markup, or text made by {@link escaped}. */
export function element(name: string, attributes: Readonly<Record<string, string | number>>, ...children: string[]) {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(String(value))}"`);
  return `<${name}${written.join('')}>${children.join('')}</${name}>`;
}

export function text(x: number, y: number, said: string, attributes: Readonly<Record<string, string | number>> = {}) {
  return element('text', { x: rounded(x), y: rounded(y), ...attributes }, escaped(said));
}

export function line(x1: number, y1: number, x2: number, y2: number, stroke: string, width = 1) {
  const ends = { x1: rounded(x1), y1: rounded(y1), x2: rounded(x2), y2: rounded(y2) };
  return element('line', { ...ends, stroke, 'stroke-width': width });
}

/** A whole picture, on white, since pages may be dark. */
export function picture(width: number, height: number, title: string, children: readonly string[]): string {
  const attributes = {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    'font-family': 'sans-serif',
    'font-size': 12,
  };
  const background = element('rect', { width, height, fill: '#fff' });
  const heading = text(16, 26, title, { 'font-size': 16, 'font-weight': 'bold' });
  return `${element('svg', attributes, element('title', {}, escaped(title)), background, heading, ...children)}\n`;
}

function escaped(said: string): string {
  return said.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

export function rounded(value: number): number {
  return Number(value.toFixed(1));
}
