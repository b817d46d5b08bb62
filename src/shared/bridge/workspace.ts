/** Values that the workspace stores for the renderer, by key. Each value is small and replaced as a whole. */
import { z } from 'zod';
import { newQuery, sort } from '../model/entities.ts';
import { SPANS } from '../model/time-buckets.ts';
import { GROUPS_MOST, localFilter } from './operations/results.ts';

const clockSetting = z.enum(['utc', 'local', 'tenant']);
const themeSetting = z.enum(['system', 'dark', 'light']);

/** The content of a tab. */
const route = z.discriminatedUnion('screen', [
  z.object({ screen: z.literal('home') }),
  z.object({ screen: z.literal('queries') }),
  z.object({ screen: z.literal('query'), draftId: z.string() }),
  z.object({
    screen: z.literal('email'),
    saas: z.string(),
    entityId: z.string(),
    /** Omitted: an email. A chat message has little more than a body. */
    entityType: z.literal('message').optional(),
    title: z.string().optional(),
  }),
  z.object({
    screen: z.literal('file'),
    saas: z.string(),
    entityId: z.string(),
    title: z.string().optional(),
  }),
  z.object({
    screen: z.literal('person'),
    saas: z.string(),
    entityId: z.string(),
    /** Omitted: a user. */
    entityType: z.literal('group').optional(),
    title: z.string().optional(),
  }),
  z.object({ screen: z.literal('campaign'), campaignId: z.string(), title: z.string().optional() }),
  z.object({ screen: z.literal('stack') }),
  z.object({ screen: z.literal('exceptions') }),
  z.object({ screen: z.literal('login-map') }),
  z.object({ screen: z.literal('activity') }),
  z.object({ screen: z.literal('settings') }),
  z.object({ screen: z.literal('guide') }),
  z.object({ screen: z.literal('kept') }),
  z.object({ screen: z.literal('rules') }),
]);
export type Route = z.infer<typeof route>;

const tab = z.object({
  id: z.string(),
  route,
  title: z.string(),
  connectionId: z.string().nullable(),
  /** The section of a profile; omitted: the first. */
  part: z.string().max(40).optional(),
});
export type Tab = z.infer<typeof tab>;

/** A query being edited; survives a crash. `savedId` and `saved` are of the query it started from, to show what changed. */
const draft = z.object({
  id: z.string(),
  connectionId: z.string(),
  query: newQuery,
  savedId: z.string().nullable(),
  saved: newQuery.nullable(),
  updatedAt: z.number(),
  includeCopies: z.boolean().optional(),
  /** Run with the report's columns and condition; omitted: if the query is a report. */
  asReport: z.boolean().optional(),
  /** Where the query was opened from, for the way back; it runs when it opens. Null if unknown. */
  origin: z.object({ route, title: z.string() }).nullable().optional().catch(undefined),
  /** The result set of the last run. */
  resultId: z.string().nullable().optional(),
  /** What that run asked for, as `questionOf` returns it; null or omitted: unknown. */
  asked: z.number().nullable().optional().catch(undefined),
  /** The query as that run took it: what its rows are said to be, whatever is edited since. */
  ran: z
    .object({
      query: newQuery,
      includeCopies: z.boolean().optional(),
      asReport: z.boolean().optional(),
    })
    .optional()
    .catch(undefined),
  /** How its rows were last viewed. A view from another version is dropped, but the draft is kept. */
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

const groupView = z.object({
  /** Groups are shown instead of rows. */
  open: z.boolean(),
  by: z.array(z.object({ column: z.string(), every: z.enum(SPANS).optional() })).max(2),
  /** Values of each column with a group of their own. */
  most: z.number().int().min(1).max(GROUPS_MOST),
  shape: z.enum(['table', 'bars', 'line', 'heat']),
});
export type GroupView = z.infer<typeof groupView>;

/** An analyst's grid layout, which overrides the query's. */
const gridLayout = z.object({
  columns: z.array(
    z.object({
      id: z.string(),
      width: z.number().optional(),
      hidden: z.boolean().optional(),
      /** True for left. */
      pinned: z.union([z.boolean(), z.enum(['left', 'right'])]).optional(),
    }),
  ),
  sort: z.array(sort).optional(),
  /** How the rows are grouped. A view from another version is dropped, but the columns are kept. */
  groups: groupView.optional().catch(undefined),
});
export type GridLayout = z.infer<typeof gridLayout>;

const preferences = z.object({
  theme: themeSetting,
  clock: clockSetting,
  /** IANA zone of the tenant, when the clock is the tenant's. */
  tenantZone: z.string().nullable(),
  panelWidths: z.record(z.string(), z.number()),
  /** Seconds between refreshes of Home; 0 or omitted: it does not refresh itself. */
  homeRefreshSeconds: z.number().int().nonnegative().optional(),
  /** Show the timeline above every result. */
  timeline: z.boolean().default(true),
});
export type Preferences = z.infer<typeof preferences>;
export const DEFAULT_PREFERENCES: Preferences = {
  theme: 'system',
  clock: 'utc',
  tenantZone: null,
  panelWidths: {},
  timeline: true,
};

/** Schemas by the first part of a key; the rest, after a colon, identifies one of many. */
export const WORKSPACE_VALUES = {
  preferences,
  /** `tabs:<connection>` */
  tabs: z.object({
    tabs: z.array(tab),
    active: z.string().nullable(),
    /** Two tabs side by side, and the left one's share of the width. */
    split: z.object({ left: z.string(), right: z.string(), share: z.number().min(0).max(1) }).nullish(),
  }),
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
      /** The last runs, newest first, including this one. */
      runs: z.array(z.object({ ranAt: z.number(), total: z.number().nullable() })).optional(),
    }),
  ),
  /** `visit:<connection>`: when the visit before this one ended, and when this one was last seen, in ms */
  visit: z.object({ since: z.number().nullable(), at: z.number() }),
  /** `stack-order:<connection>`: names of security tools in the analyst's order */
  'stack-order': z.array(z.string()),
} as const;
export type WorkspaceKind = keyof typeof WORKSPACE_VALUES;
export type WorkspaceValue<K extends WorkspaceKind> = z.infer<(typeof WORKSPACE_VALUES)[K]>;
