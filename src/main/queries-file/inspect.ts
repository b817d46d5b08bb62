/** Compares the queries of a file with those of a service, before anything is sent. */
import type { PlannedQuery } from '#shared/bridge/operations.ts';
import type { Query, QueryConfig } from '#shared/model/entities.ts';
import { actsByItself, importPlanner } from '#shared/query/import-plan.ts';
import { validate } from '#shared/query/validate.ts';
import type { Context } from '../kernel/context.ts';
import { PARSED_BESIDE, type ParseOptions, parseInThread } from '../parsing/client.ts';
import type { AskedConfig, CompareWith } from '../parsing/protocol.ts';
import { type FileQuery, inSlices, type QueryFileContent, readQueryFile } from './read.ts';

const WARNINGS_SHOWN = 5;
/** Limits the configs requested: a file can name any number of apps. The demo tenant's own queries need 16. */
const MOST_CONFIGS = 50;

interface Comparison {
  saved: readonly Query[];
  /** Null if the service did not provide it. Undefined if it was not asked. */
  config(query: AskedConfig): QueryConfig | null | undefined;
}

const keyOf = ({ domain, saas }: AskedConfig) => `${saas || 'all'} ${domain}`;

const comparisonOf = ({ saved, configs }: CompareWith): Comparison => ({
  saved,
  config: (query) => configs.get(keyOf(query)),
});

/** The distinct configs that a file needs, up to the limit. */
function askedConfigs(queries: readonly FileQuery[]): AskedConfig[] {
  const configs = new Map<string, AskedConfig>();
  for (const { query } of queries) {
    if (configs.size >= MOST_CONFIGS) break;
    if (query !== null) configs.set(keyOf(query), { domain: query.domain, saas: query.saas });
  }
  return [...configs.values()];
}

/** The saved queries, and the configs of the domains in a file. */
export async function compareWith(
  upstream: Context['upstream'],
  connectionId: string,
  requestedConfigs: readonly AskedConfig[],
  signal: AbortSignal,
): Promise<CompareWith> {
  const { queries: saved } = await upstream.send(connectionId, 'query.list', { query: {} }, { signal });
  const configs = new Map<string, QueryConfig | null>();
  for (const query of requestedConfigs) {
    const request = { query: { saas_id: query.saas || 'all', query_domain: query.domain } };
    // The service has no config for an unknown domain or app, which is not an error here.
    const config = await upstream
      .send(connectionId, 'query.config', request, { signal })
      .catch((error: unknown) => {
        signal.throwIfAborted();
        void error;
        return null;
      });
    configs.set(keyOf(query), config);
  }
  return { saved, configs };
}

/** What importing each query would do, in file order. */
export function planOf(
  queries: readonly FileQuery[],
  comparison: Comparison,
  signal?: AbortSignal,
): Promise<PlannedQuery[]> {
  const planner = importPlanner(comparison.saved);
  const plannedQuery = ({ label, query, reason }: FileQuery, index: number): PlannedQuery => {
    if (query === null)
      return {
        index,
        label,
        domain: '',
        subType: null,
        state: 'invalid',
        match: null,
        changes: [],
        reason: reason ?? 'It is not a query.',
        warnings: [],
        acts: null,
      };
    const config = comparison.config(query);
    const plan = planner(query, config ?? null);
    const problems =
      config && query.filter ? validate(query.filter, config).map(({ message }) => message) : [];
    if (config === null) problems.unshift(`The service did not say what can be queried for ${query.domain}.`);
    if (config === undefined)
      problems.unshift(
        `Its conditions were not checked: the queries are for more apps and domains than the ${MOST_CONFIGS} that are checked.`,
      );
    return {
      index,
      label,
      domain: query.domain,
      subType: query.subType ?? null,
      ...plan,
      reason: null,
      warnings: [...new Set(problems)].slice(0, WARNINGS_SHOWN),
      acts: actsByItself(query),
    };
  };
  return inSlices(queries, plannedQuery, signal);
}

export interface InspectedFile extends QueryFileContent {
  /** Empty unless it was compared. */
  plan: PlannedQuery[];
}

/** The queries of a file and, with `compare`, what importing each would do. */
export async function inspectFile(
  { bytes, name }: { bytes: Uint8Array; name: string },
  compare: ((configs: AskedConfig[]) => Promise<CompareWith>) | null,
  signal?: AbortSignal,
): Promise<InspectedFile> {
  const content = await readQueryFile(bytes, name, signal);
  if (compare === null) return { ...content, plan: [] };
  const comparison = comparisonOf(await compare(askedConfigs(content.queries)));
  return { ...content, plan: await planOf(content.queries, comparison, signal) };
}

/**
 * `inspectFile`, in a separate thread for a large file and in slices on this thread for a small one. `bytes` may be
 * transferred.
 */
export async function parseQueryFile(
  entry: URL,
  file: { bytes: Uint8Array; name: string },
  options: ParseOptions = {},
): Promise<InspectedFile> {
  const { compare = null, signal } = options;
  if (file.bytes.byteLength <= PARSED_BESIDE) return inspectFile(file, compare, signal);
  const task = { kind: 'query-file', ...file, compares: compare !== null } as const;
  return (await parseInThread(entry, task, options)) as InspectedFile;
}
