/** Draws the map: the same view onto a canvas, and as SVG for files. */
import { token } from '#renderer/ui/theme.ts';
import { DENSITY_PX, type DensityCell, LAND_UNITS, type Mark, type Size, type View } from './map-view.ts';

/** Colours of one moment: a canvas cannot use CSS variables. */
export interface MapColours {
  sea: string;
  land: string;
  border: string;
  edge: string;
  text: string;
  focus: string;
  rarity: readonly string[];
}

export function readColours(): MapColours {
  return {
    sea: token('--bg1'),
    land: token('--map-land'),
    border: token('--line2'),
    edge: token('--bg2'),
    text: token('--t1'),
    focus: token('--acc'),
    rarity: (['--rar1', '--rar2', '--rar3', '--rar4', '--rar5'] as const).map(token),
  };
}

export interface Scene {
  view: View;
  size: Size;
  /** One of the two is drawn. */
  marks: readonly Mark[];
  density: readonly DensityCell[] | null;
  focused: Mark | null;
}

const RING_GAP = 4;
const RAREST = 4;
const isRing = (mark: Mark) => mark.rarest === RAREST;
const colourOf = (mark: Mark, colours: MapColours) => colours.rarity[mark.rarest] ?? colours.text;
/** The count of a cluster that is large enough to hold it. */
const labelOf = ({ places, radius }: Mark) => (places > 1 && radius >= 9 ? String(places) : null);
const densityAlpha = (level: number) => 0.15 + 0.8 * level;

export function drawMap(
  context: CanvasRenderingContext2D,
  land: readonly Path2D[],
  scene: Scene,
  colours: MapColours,
  ratio: number,
): void {
  const { view, size, marks, density, focused } = scene;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = colours.sea;
  context.fillRect(0, 0, size.width, size.height);
  const scale = (view.scale / LAND_UNITS) * ratio;
  const left = (size.width / 2 - view.x * view.scale) * ratio;
  const top = (size.height / 2 - view.y * view.scale) * ratio;
  context.setTransform(scale, 0, 0, scale, left, top);
  context.fillStyle = colours.land;
  context.strokeStyle = colours.border;
  context.lineWidth = (0.75 * ratio) / scale;
  for (const country of land) {
    context.fill(country);
    context.stroke(country);
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  if (density !== null) {
    context.fillStyle = colours.focus;
    for (const cell of density) {
      context.globalAlpha = densityAlpha(cell.level);
      context.fillRect(cell.x, cell.y, DENSITY_PX - 1, DENSITY_PX - 1);
    }
    context.globalAlpha = 1;
    return;
  }
  context.font = '600 10px "Inter Variable", sans-serif';
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  for (const mark of marks) drawMark(context, mark, colours);
  if (focused) circle(context, focused.x, focused.y, focused.radius + RING_GAP + 3, colours.focus, 2);
}

function circle(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  radius: number,
  colour: string,
  width: number,
): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.stroke();
}

function drawMark(context: CanvasRenderingContext2D, mark: Mark, colours: MapColours): void {
  const colour = colourOf(mark, colours);
  context.beginPath();
  context.arc(mark.x, mark.y, mark.radius, 0, 2 * Math.PI);
  context.fillStyle = colour;
  context.globalAlpha = 0.88;
  context.fill();
  context.globalAlpha = 1;
  context.strokeStyle = colours.edge;
  context.lineWidth = 1;
  context.stroke();
  if (isRing(mark)) circle(context, mark.x, mark.y, mark.radius + RING_GAP, colour, 1.5);
  const label = labelOf(mark);
  if (label === null) return;
  // Legible on every level: the panel's colour stands out of all of them.
  context.fillStyle = colours.edge;
  context.fillText(label, mark.x, mark.y + 0.5);
}

const round = (value: number) => Math.round(value * 10) / 10;
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** The picture as an SVG file; `title` says what it shows. Paths come from the worker, everything else is numbers. */
export function mapSvg(
  land: readonly string[],
  { view, size, marks, density }: Scene,
  colours: MapColours,
  title: string,
): string {
  const { width, height } = size;
  const scale = view.scale / LAND_UNITS;
  const shift = `translate(${round(width / 2 - view.x * view.scale)} ${round(height / 2 - view.y * view.scale)}) scale(${scale})`;
  const cells = (density ?? []).map(
    ({ x, y, level }) =>
      `<rect x="${x}" y="${y}" width="${DENSITY_PX - 1}" height="${DENSITY_PX - 1}" fill-opacity="${round(densityAlpha(level))}"/>`,
  );
  const dots = (density === null ? marks : []).map((mark) => {
    const colour = colourOf(mark, colours);
    const at = `cx="${round(mark.x)}" cy="${round(mark.y)}"`;
    const ring = isRing(mark)
      ? `<circle ${at} r="${round(mark.radius + RING_GAP)}" fill="none" stroke="${colour}" stroke-width="1.5"/>`
      : '';
    const label = labelOf(mark);
    const text = label
      ? `<text x="${round(mark.x)}" y="${round(mark.y + 3.5)}" fill="${colours.edge}">${label}</text>`
      : '';
    return `<circle ${at} r="${round(mark.radius)}" fill="${colour}" fill-opacity=".88" stroke="${colours.edge}"/>${ring}${text}`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="${colours.sea}"/>`,
    `<g transform="${shift}" fill="${colours.land}" stroke="${colours.border}" stroke-width="${0.75 / scale}">`,
    ...land.map((path) => `<path d="${path}"/>`),
    '</g>',
    `<g fill="${colours.focus}">`,
    ...cells,
    '</g>',
    '<g font-family="sans-serif" font-size="10" font-weight="600" text-anchor="middle">',
    ...dots,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}
