/**
 * Every operation that the renderer can ask of the main process. Names are `noun.verb`. Inputs and events are
 * checked by these schemas on the receiving side; a renderer never passes a path (see `grant`).
 */
import { z } from 'zod';
import { executePayload } from '../api/catalogue/queries.ts';
import type { EndpointName } from '../api/catalogue.ts';
import { row, sort } from '../model/entities.ts';
import { bridgeError } from './errors.ts';
import { freshness } from './freshness.ts';
import { call, stream } from './operation.ts';

const none = z.object({});
const epoch = z.number();

// ---- connections --------------------------------------------------------------------------------------------

export const connectionKind = z.enum(['tenant', 'demo', 'evidence']);
export type ConnectionKind = z.infer<typeof connectionKind>;

export const connectionSettings = z.object({
  name: z.string().min(1).max(120),
  kind: connectionKind,
  /** Tenant: the service's address, https (http only for loopback). */
  url: z.string().nullable(),
  /** PEM of an extra certificate authority to trust for this connection. */
  authorityPem: z.string().nullable(),
  /** Feature flags, roles and modes over the defaults of resources/ (product.md section 1). */
  flags: z.record(z.string(), z.boolean()),
  /** White-label product id that `{product}` stands for, and the SaaS that screens start with. */
  product: z.string(),
  timezone: z.string().nullable(),
});
export type ConnectionSettings = z.infer<typeof connectionSettings>;

export const connection = connectionSettings.extend({
  id: z.string(),
  hasCredential: z.boolean(),
  /** Evidence: the folder's name for display; the path itself stays in main. */
  sourceLabel: z.string().nullable(),
  createdAt: epoch,
});
export type Connection = z.infer<typeof connection>;

export const connectionState = z.object({
  connectionId: z.string().nullable(),
  /** starting: an embedded service is coming up. offline-auto: the service did not answer. */
  phase: z.enum(['none', 'starting', 'online', 'offline-user', 'offline-auto', 'failed']),
  since: epoch,
  latencyMs: z.number().nullable(),
  error: bridgeError.nullable(),
});
export type ConnectionState = z.infer<typeof connectionState>;

// ---- jobs ---------------------------------------------------------------------------------------------------

export const jobKind = z.enum(['export', 'fetch', 'evidence-import', 'query-import']);
export const job = z.object({
  id: z.string(),
  kind: jobKind,
  title: z.string(),
  connectionId: z.string().nullable(),
  state: z.enum(['queued', 'running', 'paused', 'done', 'partial', 'failed', 'cancelled']),
  /** Work done and work known, in `unit`; total null: not known yet. */
  done: z.number(),
  total: z.number().nullable(),
  unit: z.enum(['rows', 'messages', 'bytes', 'items']),
  /** Per second, over the last seconds. */
  rate: z.number().nullable(),
  note: z.string().nullable(),
  error: bridgeError.nullable(),
  startedAt: epoch.nullable(),
  endedAt: epoch.nullable(),
  /** What came of it: file name, rows, SHA-256, problems. */
  outcome: z.record(z.string(), z.json()).nullable(),
  canPause: z.boolean(),
  canRetry: z.boolean(),
});
export type Job = z.infer<typeof job>;

// ---- result sets --------------------------------------------------------------------------------------------

export const resultColumn = z.object({
  id: z.string(),
  label: z.string(),
  type: z.string(),
  multiValues: z.boolean(),
});
export type ResultColumn = z.infer<typeof resultColumn>;

/** The state of a result set: one run of one query, its rows in the cache. */
export const resultSet = z.object({
  id: z.string(),
  connectionId: z.string(),
  columns: z.array(resultColumn),
  sort: z.array(sort),
  /** What the service counts. */
  total: z.number(),
  /** Rows on this machine. */
  loaded: z.number(),
  /** filling: pages are being fetched. partial: stopped short of the end, `reason` says why. */
  state: z.enum(['filling', 'paused', 'complete', 'partial']),
  reason: z.string().nullable(),
  startedAt: epoch,
  freshness,
  /** A cursor lapsed and rows were matched by id instead (product.md section 1). */
  resumed: z.number(),
});
export type ResultSet = z.infer<typeof resultSet>;

/** A filter on rows already loaded: words in any text column, and values wanted per column. */
export const localFilter = z.object({
  text: z.string().max(500),
  facets: z.record(z.string(), z.array(z.union([z.string(), z.number(), z.boolean(), z.null()]))),
});
export type LocalFilter = z.infer<typeof localFilter>;

// ---- files --------------------------------------------------------------------------------------------------

/** A single-use leave to read or write one file or folder that the analyst chose. */
export const grant = z.object({ grantId: z.string(), name: z.string() });
export type Grant = z.infer<typeof grant>;

const runtimeEndpoint = z.string() as unknown as z.ZodType<EndpointName>;

export const readSnapshot = z.object({
  data: z.unknown(),
  freshness,
  /** This answer is older than its time to live and a newer one is on its way. */
  revalidating: z.boolean(),
  /** Asking again failed; data is what the cache had. */
  error: bridgeError.nullable(),
});

export const appInfo = z.object({
  version: z.string(),
  host: z.enum(['electron', 'browser']),
  platform: z.string(),
  profileName: z.string(),
  readOnly: z.boolean(),
  secrets: z.object({
    /** keychain: the OS keeps them. passphrase: a file sealed with one. run: until Parapet closes. undecided: ask. */
    mode: z.enum(['keychain', 'passphrase', 'run', 'undecided']),
    locked: z.boolean(),
    reason: z.string().nullable(),
  }),
  /** What start-up had to tell: a damaged cache set aside, a read-only profile. */
  notices: z.array(
    z.object({ id: z.string(), level: z.enum(['info', 'warning', 'error']), message: z.string() }),
  ),
  branding: z.object({ productName: z.string(), serviceName: z.string() }),
});
export type AppInfo = z.infer<typeof appInfo>;

export const appEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('connection'), state: connectionState }),
  z.object({ type: z.literal('connections') }),
  z.object({ type: z.literal('info') }),
  z.object({ type: z.literal('job'), job }),
  z.object({ type: z.literal('result'), result: resultSet }),
  /** Answers of these tags changed: readers ask again. */
  z.object({ type: z.literal('invalidated'), connectionId: z.string(), tags: z.array(z.string()) }),
  z.object({ type: z.literal('cache'), bytes: z.number(), budgetBytes: z.number() }),
  /** The Electron menu or another instance asks the window for something. */
  z.object({ type: z.literal('command'), command: z.string() }),
]);
export type AppEvent = z.infer<typeof appEvent>;

export const operations = {
  'app.info': call('What this Parapet is and what it had to tell at start', none, appInfo),
  'app.events': stream('Everything that changes by itself', none, appEvent, none),

  'secrets.choose': call(
    'Chooses how secrets are kept where there is no keychain, or opens the sealed file',
    z.object({
      mode: z.enum(['passphrase', 'run', 'keychain']),
      passphrase: z.string().max(1024).optional(),
    }),
    appInfo,
  ),

  'connections.list': call(
    'All connections and the state of the active one',
    none,
    z.object({ connections: z.array(connection), state: connectionState }),
  ),
  'connections.save': call(
    'Adds or changes a connection; the credential goes to the keychain and never comes back',
    z.object({
      id: z.string().nullable(),
      settings: connectionSettings,
      credential: z.string().max(16_384).nullable(),
      /** Evidence: the folder or file. */
      grantId: z.string().nullable(),
    }),
    connection,
  ),
  'connections.remove': call(
    'Removes a connection, its credential and what is cached of it',
    z.object({ id: z.string() }),
    none,
  ),
  'connections.activate': call(
    'Makes a connection the current one',
    z.object({ id: z.string() }),
    connectionState,
  ),
  'connections.test': call(
    'Asks a service whether it answers and accepts the credential, before saving',
    z.object({
      id: z.string().nullable(),
      settings: connectionSettings,
      credential: z.string().max(16_384).nullable(),
    }),
    z.object({ ok: z.boolean(), latencyMs: z.number().nullable(), error: bridgeError.nullable() }),
  ),
  'connections.offline': call(
    'Goes offline by choice, or online again',
    z.object({ offline: z.boolean() }),
    connectionState,
  ),

  'service.read': stream(
    'One read of the catalogue: what the cache has at once, then what the service says',
    z.object({
      connectionId: z.string(),
      endpoint: runtimeEndpoint,
      params: z.record(z.string(), z.unknown()).optional(),
      query: z.record(z.string(), z.unknown()).optional(),
      body: z.unknown().optional(),
      /** refresh: ask the service whatever the cache's age. */
      refresh: z.boolean().optional(),
    }),
    readSnapshot,
    none,
  ),
  'service.send': call(
    'One change of the catalogue; never queued, never repeated',
    z.object({
      connectionId: z.string(),
      endpoint: runtimeEndpoint,
      params: z.record(z.string(), z.unknown()).optional(),
      query: z.record(z.string(), z.unknown()).optional(),
      body: z.unknown().optional(),
    }),
    z.object({ data: z.unknown() }),
  ),

  'results.open': call(
    'Runs a query: answers with its first page stored, and goes on filling. Fresh enough results are not asked for again unless refresh',
    z.object({
      connectionId: z.string(),
      payload: executePayload.omit({ search_after: true, size: true, count_only: true }),
      columns: z.array(resultColumn),
      refresh: z.boolean(),
    }),
    resultSet,
  ),
  'results.get': call('The state of a result set', z.object({ resultId: z.string() }), resultSet.nullable()),
  'results.page': call(
    'Rows start to end (exclusive) in the set order, or in a local sort and filter over what is loaded',
    z.object({
      resultId: z.string(),
      start: z.number().int().nonnegative(),
      end: z.number().int().nonnegative(),
      sort: z.array(sort).optional(),
      filter: localFilter.optional(),
    }),
    z.object({
      /** Values by column order of the set, each row led by its entity id. */
      rows: z.array(z.array(z.json())),
      /** Rows that match: the total without a filter, matches among the loaded with one. */
      count: z.number(),
      loaded: z.number(),
    }),
  ),
  'results.facets': call(
    'Values and counts of columns among the loaded rows, most first',
    z.object({ resultId: z.string(), columns: z.array(z.string()), filter: localFilter.optional() }),
    z.object({
      facets: z.array(
        z.object({
          column: z.string(),
          values: z.array(
            z.object({ value: z.union([z.string(), z.number(), z.boolean(), z.null()]), count: z.number() }),
          ),
          distinct: z.number(),
        }),
      ),
    }),
  ),
  'results.fill': call(
    'Goes on, pauses or stops fetching the rest of a result set',
    z.object({ resultId: z.string(), action: z.enum(['resume', 'pause', 'all']) }),
    resultSet,
  ),
  'results.rows': call(
    'Rows by entity id, for copying and peeking',
    z.object({ resultId: z.string(), entityIds: z.array(z.string()).max(10_000) }),
    z.object({ rows: z.array(row) }),
  ),

  'exports.start': call(
    'Exports a whole result set to a granted file as a job',
    z.object({
      resultId: z.string(),
      grantId: z.string(),
      format: z.enum(['csv', 'ndjson']),
      columns: z.array(z.object({ id: z.string(), label: z.string() })).min(1),
      sort: z.array(sort).optional(),
      filter: localFilter.optional(),
      /** Cells as they are, without neutralising formulas. */
      raw: z.boolean(),
      bom: z.boolean(),
    }),
    job,
  ),

  'jobs.list': call('Running jobs and the last ended ones', none, z.object({ jobs: z.array(job) })),
  'jobs.control': call(
    'Cancels, pauses, resumes or retries a job',
    z.object({ id: z.string(), action: z.enum(['cancel', 'pause', 'resume', 'retry', 'dismiss']) }),
    job,
  ),

  'queries.import': call(
    'Imports a query file: read and checked here, then sent to the service',
    z.object({ connectionId: z.string(), grantId: z.string() }),
    z.object({
      imported: z.array(z.string()),
      /** Labels that failed (specification section 8), with what is known of the reason. */
      failed: z.array(z.object({ label: z.string(), reason: z.string() })),
      notes: z.array(z.string()),
    }),
  ),
  'queries.export': call(
    'Writes saved queries to a granted file',
    z.object({ connectionId: z.string(), ids: z.array(z.string()).min(1), grantId: z.string() }),
    z.object({ name: z.string(), count: z.number(), bytes: z.number() }),
  ),

  'workspace.get': call(
    'A value of the workspace',
    z.object({ key: z.string().max(300) }),
    z.object({ value: z.unknown() }),
  ),
  'workspace.put': call(
    'Replaces a value of the workspace; null removes it',
    z.object({ key: z.string().max(300), value: z.unknown() }),
    none,
  ),
  'workspace.list': call(
    'Values whose key starts so',
    z.object({ prefix: z.string().max(300) }),
    z.object({ values: z.array(z.object({ key: z.string(), value: z.unknown() })) }),
  ),

  'evidence.problems': call(
    'Files of an evidence connection that could not be read, with their reason',
    z.object({ connectionId: z.string() }),
    z.object({
      imported: z.number(),
      notMail: z.number(),
      problems: z.array(z.object({ file: z.string(), offset: z.number().nullable(), reason: z.string() })),
    }),
  ),

  'remote.images': call(
    'Loads remote images of one email after the analyst asked: by main, without cookies or referrer, never from this network',
    z.object({ connectionId: z.string(), urls: z.array(z.string().max(4096)).min(1).max(100) }),
    z.object({
      images: z.array(z.object({ url: z.string(), dataUrl: z.string() })),
      failed: z.array(z.object({ url: z.string(), reason: z.string() })),
    }),
  ),

  'cache.stats': call(
    'What the cache holds',
    none,
    z.object({
      bytes: z.number(),
      budgetBytes: z.number(),
      resultSets: z.number(),
      answers: z.number(),
      oldestAt: epoch.nullable(),
    }),
  ),
  'cache.wipe': call(
    'Removes everything cached, or of one connection',
    z.object({ connectionId: z.string().nullable() }),
    none,
  ),

  'dialogs.save': call(
    'Asks where to save; null: the analyst cancelled',
    z.object({ suggestedName: z.string().max(200), kind: z.enum(['csv', 'ndjson', 'json']) }),
    grant.nullable(),
  ),
  'dialogs.open': call(
    'Asks which file to open',
    z.object({ kind: z.enum(['query-file', 'evidence-folder', 'evidence-file']) }),
    grant.nullable(),
  ),
  'window.control': call(
    'Title bar buttons; a browser host has none',
    z.object({ action: z.enum(['minimise', 'maximise', 'close']) }),
    none,
  ),
  'clipboard.write': call('Puts text on the clipboard', z.object({ text: z.string().max(50_000_000) }), none),
} as const;

export type Operations = typeof operations;
export type OperationName = keyof Operations;
export type InputOf<N extends OperationName> = z.input<Operations[N]['input']>;
export type ParsedInputOf<N extends OperationName> = z.output<Operations[N]['input']>;
export type OutputOf<N extends OperationName> = Operations[N] extends { output: infer O extends z.ZodType }
  ? z.infer<O>
  : never;
export type EventOf<N extends OperationName> = Operations[N] extends { event: infer E extends z.ZodType }
  ? z.infer<E>
  : never;
export type StreamName = {
  [N in OperationName]: Operations[N]['kind'] extends 'stream' ? N : never;
}[OperationName];
export type CallName = Exclude<OperationName, StreamName>;
export const isOperationName = (name: string): name is OperationName => Object.hasOwn(operations, name);
