/** Every call of the specification, section 7, by name. */
import type { z } from 'zod';
import { evidence } from './catalogue/evidence.ts';
import { exceptions, heatMap } from './catalogue/exceptions.ts';
import { apps, campaigns, entities, findings, profileData } from './catalogue/profiles.ts';
import { manualActions, policies, queries } from './catalogue/queries.ts';
import type { Endpoint } from './endpoint.ts';

/** The base path of every call (specification section 7). */
export const BASE_PATH = '/api/v1';

export const catalogue = {
  ...queries,
  ...policies,
  ...manualActions,
  ...profileData,
  ...campaigns,
  ...apps,
  ...findings,
  ...exceptions,
  ...entities,
  ...heatMap,
  ...evidence,
} as const;

export type Catalogue = typeof catalogue;
export type EndpointName = keyof Catalogue;
export type ParamsOf<N extends EndpointName> = z.infer<Catalogue[N]['params']>;
export type SearchOf<N extends EndpointName> = z.infer<Catalogue[N]['query']>;
export type BodyOf<N extends EndpointName> = z.infer<Catalogue[N]['body']>;
export type AnswerOf<N extends EndpointName> = z.infer<Catalogue[N]['response']>;

/** The inputs of a call: path parameters, query string and body. */
export interface Request<N extends EndpointName> {
  params?: ParamsOf<N>;
  query?: SearchOf<N>;
  body?: BodyOf<N>;
}

export type ReadEndpoint = {
  [N in EndpointName]: Catalogue[N]['effect'] extends 'read' ? N : never;
}[EndpointName];
export type WriteEndpoint = Exclude<EndpointName, ReadEndpoint>;

export const endpointNames = Object.keys(catalogue) as EndpointName[];
export const endpointOf = (name: EndpointName): Endpoint => catalogue[name] as Endpoint;
export const isEndpointName = (name: string): name is EndpointName => Object.hasOwn(catalogue, name);
