/** Compares the queries of a file with those of a service, before anything is sent. */
import type { PlannedQuery } from '#shared/bridge/operations.ts';
import type { Query, QueryConfig } from '#shared/model/entities.ts';
import { importPlanner } from '#shared/query/import-plan.ts';
import { validate } from '#shared/query/validate.ts';
import type { Context } from '../core/context.ts';
import { type FileQuery, inSlices } from './read.ts';

const WARNINGS_SHOWN = 5;
/** Configs asked for: a file can name any number of apps. */
const MOST_CONFIGS = 12;

interface Comparison {
  saved: readonly Query[];
  /** null: the service did not tell. */
  config(query: { domain: string; saas?: string | null | undefined }): QueryConfig | null;
}

/** What is compared with: the saved queries, and the configs of the domains that the file asks. */
export async function comparisonFor(
  upstream: Context['upstream'],
  connectionId: string,
  queries: readonly FileQuery[],
  signal: AbortSignal,
): Promise<Comparison> {
  const { queries: saved } = await upstream.send(connectionId, 'query.list', { query: {} }, { signal });
  const configs = new Map<string, QueryConfig | null>();
  const keyOf = ({ domain, saas }: { domain: string; saas?: string | null | undefined }) =>
    `${saas || 'all'} ${domain}`;
  for (const { query } of queries) {
    if (query === null || configs.has(keyOf(query)) || configs.size >= MOST_CONFIGS) continue;
    const asked = { query: { saas_id: query.saas || 'all', query_domain: query.domain } };
    // A domain or an app that the service does not know has no config; that is no reason to stop.
    const config = await upstream
      .send(connectionId, 'query.config', asked, { signal })
      .catch((error: unknown) => {
        signal.throwIfAborted();
        void error;
        return null;
      });
    configs.set(keyOf(query), config);
  }
  return { saved, config: (query) => configs.get(keyOf(query)) ?? null };
}

/** What importing each query would do, in the order of the file. */
export function planOf(
  queries: readonly FileQuery[],
  comparison: Comparison,
  signal?: AbortSignal,
): Promise<PlannedQuery[]> {
  const planned = importPlanner(comparison.saved);
  const one = ({ label, query, reason }: FileQuery, index: number): PlannedQuery => {
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
      };
    const config = comparison.config(query);
    const plan = planned(query, config);
    const problems =
      config && query.filter ? validate(query.filter, config).map(({ message }) => message) : [];
    if (!config) problems.unshift(`The service did not tell what can be asked of ${query.domain}.`);
    return {
      index,
      label,
      domain: query.domain,
      subType: query.subType ?? null,
      ...plan,
      reason: null,
      warnings: [...new Set(problems)].slice(0, WARNINGS_SHOWN),
    };
  };
  return inSlices(queries, one, signal);
}
