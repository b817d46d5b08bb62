/**
 * All saved queries of a service. The specification defines `GET query` with a subtype and leaves open what a call
 * without one returns: some services list only plain queries, so the library would lack the reports.
 */
import type { AnswerOf } from '#shared/api/catalogue.ts';
import { REFUSED } from '#shared/api/numbered-pages.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import { SUB_TYPES } from '#shared/model/enums.ts';

type Listed = AnswerOf<'query.list'>;

/**
 * Requests each subtype missing from the first response. `unlisted` are those that failed other than by a refusal.
 * Rejects if it is cancelled.
 */
export async function listQueries(
  ask: (query: { subtype?: string }) => Promise<Listed>,
): Promise<Listed & { unlisted?: string[] }> {
  const first = await ask({});
  const missing = SUB_TYPES.filter((subtype) => first.queries.every(({ subType }) => subType !== subtype));
  const answers = await Promise.allSettled(missing.map((subtype) => ask({ subtype })));
  const queries = new Map(first.queries.map((query) => [query.id, query]));
  const unlisted: string[] = [];
  for (const [index, answer] of answers.entries()) {
    const subtype = missing[index] ?? '';
    if (answer.status === 'rejected') {
      const { code } = toBridgeError(answer.reason);
      // Nobody waits for the list any more; a list without this part would be cached as the service's.
      if (code === 'cancelled') throw answer.reason;
      // A service may refuse a subtype that it does not know.
      if (!REFUSED.has(code)) unlisted.push(subtype);
      continue;
    }
    for (const query of answer.value.queries)
      if (!queries.has(query.id)) queries.set(query.id, { ...query, subType: query.subType ?? subtype });
  }
  if (queries.size === first.queries.length && unlisted.length === 0) return first;
  return { ...first, queries: [...queries.values()], ...(unlisted.length > 0 ? { unlisted } : {}) };
}
