/**
 * All saved queries of a service. The specification gives `GET query` a subtype and says nothing of a call without one:
 * some services then list only the plain queries, and the library would seem to have no reports.
 */
import type { AnswerOf } from '#shared/api/catalogue.ts';
import { REFUSED } from '#shared/api/numbered-pages.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import { SUB_TYPES } from '#shared/model/enums.ts';

type Listed = AnswerOf<'query.list'>;

/** Asks again by each subtype of which the first answer has no query. `unlisted`: subtypes that could not be asked for. */
export async function listQueries(
  ask: (query: { subtype?: string }) => Promise<Listed>,
): Promise<Listed & { unlisted?: string[] }> {
  const first = await ask({});
  const missing = SUB_TYPES.filter((subtype) => first.queries.every(({ subType }) => subType !== subtype));
  const asked = await Promise.allSettled(missing.map((subtype) => ask({ subtype })));
  const queries = new Map(first.queries.map((query) => [query.id, query]));
  const unlisted: string[] = [];
  for (const [at, answer] of asked.entries()) {
    const subtype = missing[at] ?? '';
    if (answer.status === 'rejected') {
      // A service may refuse a subtype that it does not know.
      if (!REFUSED.has(toBridgeError(answer.reason).code)) unlisted.push(subtype);
      continue;
    }
    for (const query of answer.value.queries)
      if (!queries.has(query.id)) queries.set(query.id, { ...query, subType: query.subType ?? subtype });
  }
  if (queries.size === first.queries.length && unlisted.length === 0) return first;
  return { ...first, queries: [...queries.values()], ...(unlisted.length > 0 ? { unlisted } : {}) };
}
