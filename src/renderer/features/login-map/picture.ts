/**
 * Draws the map: countries and marks. Done in the worker because it would block the window for 60 ms
 * or more (docs/adr/0028-measured.md).
 */
import { geoNaturalEarth1, geoPath } from 'd3-geo';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import type { MapPlaces } from './engine.ts';
import type { MapColours } from './map-colours.ts';
import { drawMarks, mapSvg, type Scene } from './map-draw.ts';
import {
  densityOf,
  FINE_FROM,
  LAND_UNITS,
  type Mark,
  marksOf,
  type Size,
  type View,
  zoomOf,
} from './map-view.ts';

// Outlines of countries, from files of the product: no tile server, no request. SVG paths on the plane of the map
// (Natural Earth), which canvas and SVG files take alike. In the worker.

type World = Topology<{ countries: GeometryCollection }>;

/** One path per country; `fine` ones, for near views, have five times the points. */
async function landPaths(fine: boolean): Promise<string[]> {
  const { default: world } = fine
    ? await import('world-atlas/countries-50m.json')
    : await import('world-atlas/countries-110m.json');
  const topology = world as unknown as World;
  const projection = geoNaturalEarth1().scale(LAND_UNITS).translate([0, 0]);
  const path = geoPath(projection).digits(fine ? 2 : 1);
  return feature(topology, topology.objects.countries).features.flatMap((country) => path(country) ?? []);
}

export interface PictureAsk {
  view: View;
  /** In CSS pixels; the picture has `ratio` times as many. */
  size: Size;
  ratio: number;
  density: boolean;
  colours: MapColours;
}

export interface MapPicture {
  bitmap: ImageBitmap;
  view: View;
  size: Size;
  marks: Mark[];
  /** The row count of the drawn summary, or null if there is no summary yet. */
  rows: number | null;
}

let fontLoaded: Promise<unknown> = Promise.resolve();
/** A worker has none of the window's fonts; without this one the counts use a fallback font. */
export function loadFont(url: string): void {
  const font = new FontFace('Inter Variable', `url(${url})`, { weight: '100 900' });
  (globalThis as unknown as { fonts: FontFaceSet }).fonts.add(font);
  fontLoaded = font.load().catch(() => undefined);
}

const isFine = ({ view, size }: PictureAsk) => zoomOf(view, size) >= FINE_FROM;
const shapes = new Map<boolean, Promise<Path2D[]>>();
/** The countries as last drawn, reused while only the marks change. */
let drawn: { key: string; canvas: OffscreenCanvas } | null = null;

function contextOf(canvas: OffscreenCanvas): OffscreenCanvasRenderingContext2D {
  // Rendered in memory, because the first draw through the GPU would block.
  const context = canvas.getContext('2d', { alpha: false, willReadFrequently: true });
  if (!context) throw new Error('This window can’t draw the map.');
  return context;
}
const canvasOf = ({ size, ratio }: PictureAsk) =>
  new OffscreenCanvas(
    Math.max(1, Math.round(size.width * ratio)),
    Math.max(1, Math.round(size.height * ratio)),
  );

async function countriesOf(ask: PictureAsk): Promise<OffscreenCanvas> {
  const { view, size, ratio, colours } = ask;
  const { sea, land, border } = colours;
  const key = JSON.stringify([view, size, ratio, sea, land, border]);
  if (drawn?.key === key) return drawn.canvas;
  const fine = isFine(ask);
  const shape = shapes.get(fine) ?? landPaths(fine).then((paths) => paths.map((path) => new Path2D(path)));
  shapes.set(fine, shape);
  const countries = await shape;
  const canvas = canvasOf(ask);
  const context = contextOf(canvas);
  context.fillStyle = sea;
  context.fillRect(0, 0, canvas.width, canvas.height);
  const scale = (view.scale / LAND_UNITS) * ratio;
  const left = (size.width / 2 - view.x * view.scale) * ratio;
  const top = (size.height / 2 - view.y * view.scale) * ratio;
  context.setTransform(scale, 0, 0, scale, left, top);
  context.fillStyle = land;
  context.strokeStyle = border;
  context.lineWidth = (0.75 * ratio) / scale;
  for (const country of countries) {
    context.fill(country);
    context.stroke(country);
  }
  drawn = { key, canvas };
  return canvas;
}

type Shown = { places: MapPlaces; rows: number } | null;

function sceneOf(shown: Shown, { view, size, density }: PictureAsk): Scene {
  const places = shown?.places ?? null;
  return {
    view,
    size,
    marks: places !== null && !density ? marksOf(places, view, size) : [],
    density: places !== null && density ? densityOf(places, view, size) : null,
  };
}

/** `latest` is read after the countries are drawn. */
async function draw(ask: PictureAsk, latest: () => Shown) {
  await fontLoaded;
  const countries = await countriesOf(ask);
  const canvas = canvasOf(ask);
  const context = contextOf(canvas);
  context.drawImage(countries, 0, 0);
  const shown = latest();
  const scene = sceneOf(shown, ask);
  drawMarks(context, scene, ask.colours, ask.ratio);
  return { canvas, marks: [...scene.marks], rows: shown?.rows ?? null };
}

export async function drawPicture(ask: PictureAsk, latest: () => Shown): Promise<MapPicture> {
  const { view, size } = ask;
  const { canvas, marks, rows } = await draw(ask, latest);
  return { bitmap: canvas.transferToImageBitmap(), view, size, marks, rows };
}

export const drawPng = async (ask: PictureAsk, latest: () => Shown): Promise<Blob> =>
  (await draw(ask, latest)).canvas.convertToBlob({ type: 'image/png' });

export async function drawSvg(ask: PictureAsk, latest: () => Shown, title: string): Promise<string> {
  const paths = await landPaths(isFine(ask));
  return mapSvg(paths, sceneOf(latest(), ask), ask.colours, title);
}
