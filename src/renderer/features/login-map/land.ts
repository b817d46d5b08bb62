/**
 * Outlines of countries, from files of the product: no tile server, no request. SVG paths on the plane of the map
 * (Natural Earth), which canvas and SVG files take alike. In the worker.
 */
import { geoNaturalEarth1, geoPath } from 'd3-geo';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import { LAND_UNITS } from './map-view.ts';

type World = Topology<{ countries: GeometryCollection }>;

/** One path per country. `fine`: for near views, five times the points. */
export async function landPaths(fine: boolean): Promise<string[]> {
  const { default: world } = fine
    ? await import('world-atlas/countries-50m.json')
    : await import('world-atlas/countries-110m.json');
  const topology = world as unknown as World;
  const projection = geoNaturalEarth1().scale(LAND_UNITS).translate([0, 0]);
  const path = geoPath(projection).digits(fine ? 2 : 1);
  return feature(topology, topology.objects.countries).features.flatMap((country) => path(country) ?? []);
}
