/** What the workspace keeps for the renderer, by key. Each value is small and is replaced as a whole. */
import { z } from 'zod';
import { newQuery, sort } from '../model/entities.ts';
import { localFilter } from './operations/results.ts';

const clockSetting = z.enum(['utc', 'local', 'tenant']);
const themeSetting = z.enum(['system', 'dark', 'light']);

/** What a tab shows. */
const route = z.discriminatedUnion('screen', [
  z.object({ screen: z.literal('home') }),
  z.object({ screen: z.literal('queries') }),
  z.object({ screen: z.literal('query'), draftId: z.string() }),
  z.object({
    screen: z.literal('email'),
    saas: z.string(),
    entityId: z.string(),
    /** Left out: an email. A chat message has a body and little else. */
    entityType: z.literal('message').optional(),
    title: z.string().optional(),
  }),
  z.object({
    screen: z.literal('file'),
    saas: z.string(),
    entityId: z.string(),
    title: z.string().optional(),
  }),
  z.object({ screen: z.literal('stack') }),
  z.object({ screen: z.literal('exceptions') }),
  z.object({ screen: z.literal('login-map') }),
  z.object({ screen: z.literal('activity') }),
  z.object({ screen: z.literal('settings') }),
]);
export type Route = z.infer<typeof route>;

const tab = z.object({
  id: z.string(),
  route,
  title: z.string(),
  connectionId: z.string().nullable(),
  /** The part of a profile that it shows; left out: the first. */
  part: z.string().max(40).optional(),
});
export type Tab = z.infer<typeof tab>;

/** A query being edited; survives a crash. `savedId` and `saved`: the query it came from, to tell what changed. */
const draft = z.object({
  id: z.string(),
  connectionId: z.string(),
  query: newQuery,
  savedId: z.string().nullable(),
  saved: newQuery.nullable(),
  updatedAt: z.number(),
  includeCopies: z.boolean().optional(),
  /** Run with the report's columns and condition; left out: when the query is a report. */
  asReport: z.boolean().optional(),
  /** The result set of the last run. */
  resultId: z.string().nullable().optional(),
  /** How its rows were last looked at; a view of another version is forgotten, never the draft with it. */
  view: z
    .object({
      filter: localFilter,
      /** The filter bar is open. */
      filterOpen: z.boolean(),
      /** The first row on screen. */
      row: z.number().int().nonnegative(),
    })
    .optional()
    .catch(undefined),
});
export type Draft = z.infer<typeof draft>;

/** A grid's personal layout over what a query says. */
const gridLayout = z.object({
  columns: z.array(
    z.object({
      id: z.string(),
      width: z.number().optional(),
      hidden: z.boolean().optional(),
      /** true: left. */
      pinned: z.union([z.boolean(), z.enum(['left', 'right'])]).optional(),
    }),
  ),
  sort: z.array(sort).optional(),
});
export type GridLayout = z.infer<typeof gridLayout>;

const preferences = z.object({
  theme: themeSetting,
  clock: clockSetting,
  /** IANA zone of the tenant, when the clock is the tenant's. */
  tenantZone: z.string().nullable(),
  panelWidths: z.record(z.string(), z.number()),
});
export type Preferences = z.infer<typeof preferences>;
export const DEFAULT_PREFERENCES: Preferences = {
  theme: 'system',
  clock: 'utc',
  tenantZone: null,
  panelWidths: {},
};

/** The schemas by the first part of a key; the rest of the key, after a colon, names one of many. */
export const WORKSPACE_VALUES = {
  preferences,
  /** `tabs:<connection>` */
  tabs: z.object({ tabs: z.array(tab), active: z.string().nullable() }),
  /** `draft:<id>` */
  draft,
  /** `layout:<query id or screen>` */
  layout: gridLayout,
  /** `favourites:<connection>`: query ids */
  favourites: z.array(z.string()),
  /** `recent:<connection>`: queries run last, newest first */
  recent: z.array(
    z.object({
      queryId: z.string().nullable(),
      name: z.string(),
      domain: z.string(),
      total: z.number().nullable(),
      ranAt: z.number(),
      resultId: z.string().nullable(),
      /** The last runs, newest first, this one included. */
      runs: z.array(z.object({ ranAt: z.number(), total: z.number().nullable() })).optional(),
    }),
  ),
  /** `visit:<connection>`: when the visit before this one ended, and when this one was last seen, in ms */
  visit: z.object({ since: z.number().nullable(), at: z.number() }),
  /** `stack-order:<connection>`: names of security tools as the analyst put them */
  'stack-order': z.array(z.string()),
} as const;
export type WorkspaceKind = keyof typeof WORKSPACE_VALUES;
export type WorkspaceValue<K extends WorkspaceKind> = z.infer<(typeof WORKSPACE_VALUES)[K]>;
