import { geoNaturalEarth1Raw } from 'd3-geo';
import { describe, expect, it } from 'vitest';
import type { MapPlaces } from './engine.ts';
import {
  clampView,
  densityOf,
  markAt,
  marksOf,
  openMark,
  panBy,
  radiusOf,
  toPixels,
  wholeWorld,
  zoomAt,
  zoomOf,
} from './map-view.ts';

const size = { width: 800, height: 450 };
const whole = wholeWorld(size);

function placesOf(
  list: readonly { lat: number; lon: number; logins?: number; rarest?: number }[],
): MapPlaces {
  const plane = list.map(({ lat, lon }) => geoNaturalEarth1Raw((lon * Math.PI) / 180, (lat * Math.PI) / 180));
  return {
    size: list.length,
    number: Uint32Array.from(list, (_, number) => number),
    lat: Float64Array.from(list, ({ lat }) => lat),
    lon: Float64Array.from(list, ({ lon }) => lon),
    logins: Float64Array.from(list, ({ logins }) => logins ?? 1),
    users: Uint32Array.from(list, () => 1),
    rarest: Uint8Array.from(list, ({ rarest }) => rarest ?? 0),
    row: Uint32Array.from(list, (_, row) => row),
    x: Float64Array.from(plane, ([x]) => x),
    y: Float64Array.from(plane, ([, y]) => -y),
  };
}
const LONDON = { lat: 51.5, lon: -0.12, logins: 500 };
const READING = { lat: 51.45, lon: -0.97, logins: 20, rarest: 1 };
const LAGOS = { lat: 6.45, lon: 3.4, rarest: 4 };

describe('the view', () => {
  it('starts with the whole inhabited world', () => {
    const towns = placesOf([
      { lat: 71.3, lon: -156.8 },
      { lat: -54.8, lon: -68.3 },
      { lat: -18.1, lon: 178.4 },
    ]);
    expect(marksOf(towns, whole, size)).toHaveLength(3);
  });

  it('zooms around the pointer', () => {
    const near = zoomAt(whole, size, 4, 600, 100);
    const center = (view: typeof whole) => [
      view.x + (600 - 400) / view.scale,
      view.y + (100 - 225) / view.scale,
    ];
    expect(center(near)[0]).toBeCloseTo(center(whole)[0] ?? 0);
    expect(center(near)[1]).toBeCloseTo(center(whole)[1] ?? 0);
    expect(zoomOf(near, size)).toBeCloseTo(4);
  });

  it('stays within the world and the zoom limits', () => {
    expect(panBy(whole, size, 9999, -9999).x).toBeLessThan(1);
    expect(zoomOf(zoomAt(whole, size, 1e9, 0, 0), size)).toBeCloseTo(160);
    expect(zoomOf(zoomAt(whole, size, 1e-9, 0, 0), size)).toBeCloseTo(1);
    expect(clampView({ scale: whole.scale * 2, x: 99, y: 99 }, size).x).toBeLessThan(2.8);
  });
});

describe('marks', () => {
  it('cluster neighbouring places without losing a login', () => {
    const [cluster, ...more] = marksOf(placesOf([LONDON, READING]), whole, size);
    expect(more).toEqual([]);
    expect(cluster).toMatchObject({ places: 2, logins: 520, rarest: 1, place: 1 });
  });

  it('never merge the rarest places, and draw them on top', () => {
    const marks = marksOf(placesOf([LONDON, { ...READING, rarest: 4 }]), whole, size);
    expect(marks.map(({ rarest }) => rarest)).toEqual([0, 4]);
  });

  it('[spec 2] can be zoomed until their places are separate', () => {
    const places = placesOf([LONDON, READING]);
    const [cluster] = marksOf(places, whole, size);
    if (!cluster) throw new Error('no mark');
    expect(marksOf(places, openMark(cluster, size), size)).toHaveLength(2);
  });

  it('are hit by a pointer, the topmost first', () => {
    const places = placesOf([LONDON, LAGOS]);
    const marks = marksOf(places, whole, size);
    const [x, y] = toPixels(whole, size, places.x[1] ?? 0, places.y[1] ?? 0);
    expect(markAt(marks, x + 2, y)?.place).toBe(1);
    expect(markAt(marks, 1, 1)).toBeNull();
  });

  it('outside of the view are not drawn', () => {
    const near = zoomAt(whole, size, 40, ...toPixels(whole, size, 0, -0.9));
    expect(marksOf(placesOf([LAGOS]), near, size)).toEqual([]);
  });

  it('grow with the logarithm of their logins', () => {
    expect(radiusOf(1)).toBe(4);
    expect(radiusOf(1000)).toBeLessThan(12);
    expect(radiusOf(1e12)).toBe(15);
  });
});

it('[spec 2] density levels are logarithmic, and the busiest cell has level 1', () => {
  const cells = densityOf(placesOf([LONDON, LAGOS]), whole, size);
  expect(cells.map(({ level }) => level)).toEqual([1, expect.closeTo(0.11, 2)]);
});
