/** Draws what is on the map: the same marks onto a canvas, and with the countries as SVG for files. In the worker. */
import { xmlText } from '#renderer/ui/xml-text.ts';
import type { MapColours } from './map-colours.ts';
import { DENSITY_PX, type DensityCell, LAND_UNITS, type Mark, type Size, type View } from './map-view.ts';

export interface Scene {
  view: View;
  size: Size;
  /** One of the two is drawn. */
  marks: readonly Mark[];
  density: readonly DensityCell[] | null;
}

const RING_GAP = 4;
const RAREST = 4;
const isRing = (mark: Mark) => mark.rarest === RAREST;
const colourOf = (mark: Mark, colours: MapColours) => colours.rarity[mark.rarest] ?? colours.text;
/** The label of a cluster that is large enough to contain it. */
const labelOf = ({ places, radius }: Mark) => (places > 1 && radius >= 9 ? String(places) : null);
const densityAlpha = (level: number) => 0.15 + 0.8 * level;

/** Marks of the same kind and size are drawn once and then copied. */
class Stamps {
  private readonly kept = new Map<string, OffscreenCanvas>();
  private readonly colours: MapColours;
  private readonly ratio: number;
  constructor(colours: MapColours, ratio: number) {
    this.colours = colours;
    this.ratio = ratio;
  }

  suits(colours: MapColours, ratio: number): boolean {
    return ratio === this.ratio && JSON.stringify(colours) === JSON.stringify(this.colours);
  }

  of(mark: Mark): OffscreenCanvas {
    const radius = Math.round(mark.radius * 2) / 2;
    const key = `${mark.rarest} ${radius}`;
    const entry = this.kept.get(key);
    if (entry) return entry;
    const reach = radius + RING_GAP + 2;
    const side = Math.ceil(2 * reach * this.ratio);
    const canvas = new OffscreenCanvas(side, side);
    const context = canvas.getContext('2d', { willReadFrequently: true });
    if (context) {
      context.scale(this.ratio, this.ratio);
      const middle = side / 2 / this.ratio;
      const colour = colourOf(mark, this.colours);
      context.beginPath();
      context.arc(middle, middle, radius, 0, 2 * Math.PI);
      context.fillStyle = colour;
      context.globalAlpha = 0.88;
      context.fill();
      context.globalAlpha = 1;
      context.strokeStyle = this.colours.edge;
      context.lineWidth = 1;
      context.stroke();
      if (isRing(mark)) {
        context.beginPath();
        context.arc(middle, middle, radius + RING_GAP, 0, 2 * Math.PI);
        context.strokeStyle = colour;
        context.lineWidth = 1.5;
        context.stroke();
      }
    }
    this.kept.set(key, canvas);
    return canvas;
  }
}
let stamps: Stamps | null = null;

/** `ratio` is pixels of the context for one of CSS. */
export function drawMarks(
  context: OffscreenCanvasRenderingContext2D,
  { marks, density }: Scene,
  colours: MapColours,
  ratio: number,
): void {
  if (density !== null) {
    context.fillStyle = colours.dense;
    const side = (DENSITY_PX - 1) * ratio;
    for (const cell of density) {
      context.globalAlpha = densityAlpha(cell.level);
      context.fillRect(cell.x * ratio, cell.y * ratio, side, side);
    }
    context.globalAlpha = 1;
    return;
  }
  if (!stamps?.suits(colours, ratio)) stamps = new Stamps(colours, ratio);
  context.font = `600 ${10 * ratio}px "Inter Variable", sans-serif`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  // The panel's colour is legible on every density level.
  context.fillStyle = colours.edge;
  for (const mark of marks) {
    const stamp = stamps.of(mark);
    const half = stamp.width / 2;
    context.drawImage(stamp, Math.round(mark.x * ratio - half), Math.round(mark.y * ratio - half));
    const label = labelOf(mark);
    if (label !== null) context.fillText(label, mark.x * ratio, (mark.y + 0.5) * ratio);
  }
}

const round = (value: number) => Math.round(value * 10) / 10;

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
    const centre = `cx="${round(mark.x)}" cy="${round(mark.y)}"`;
    const ring = isRing(mark)
      ? `<circle ${centre} r="${round(mark.radius + RING_GAP)}" fill="none" stroke="${colour}" stroke-width="1.5"/>`
      : '';
    const label = labelOf(mark);
    const text = label
      ? `<text x="${round(mark.x)}" y="${round(mark.y + 3.5)}" fill="${colours.edge}">${label}</text>`
      : '';
    return `<circle ${centre} r="${round(mark.radius)}" fill="${colour}" fill-opacity=".88" stroke="${colours.edge}"/>${ring}${text}`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title>${xmlText(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="${colours.sea}"/>`,
    `<g transform="${shift}" fill="${colours.land}" stroke="${colours.border}" stroke-width="${0.75 / scale}">`,
    ...land.map((path) => `<path d="${path}"/>`),
    '</g>',
    `<g fill="${colours.dense}">`,
    ...cells,
    '</g>',
    '<g font-family="sans-serif" font-size="10" font-weight="600" text-anchor="middle">',
    ...dots,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}
