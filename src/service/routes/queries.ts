/** query/*: the saved queries, their config, running them, and their files. */
import { QUERY_FILE_VERSION } from '#shared/api/catalogue/queries.ts';
import { type NewQuery, newQuery } from '#shared/model/entities.ts';
import type { Handlers, ServiceContext } from '../http/context.ts';
import { ServiceError } from '../http/errors.ts';
import { jsonDepth } from '../http/input.ts';
import { configOf, domainNamed, isEveryApp } from '../query/config.ts';
import { execute } from '../query/execute.ts';
import { appsOf } from '../store/apps.ts';
import { customLists } from '../store/lists.ts';
import { savedQueries } from '../store/queries.ts';

const MAX_IMPORTED = 10_000;
const MAX_FILE_DEPTH = 200;

const noQuery = () => new ServiceError(404, 'No such query', 'id');
const saasOf = (context: ServiceContext) =>
  appsOf(context.store)
    .filter((app) => app.is_saas)
    .map(({ name }) => name);
const isoNow = (context: ServiceContext) => new Date(context.now()).toISOString();

export const queryHandlers = {
  'query.execute': ({ body }, context) =>
    execute(body, { store: context.store, saas: saasOf(context), now: context.now() }),
  'query.list': ({ query }, { store }) => ({ queries: savedQueries(store).list(query) }),
  'query.get': ({ params }, { store }) => {
    const found = savedQueries(store).get(params.id);
    if (!found) throw noQuery();
    return found;
  },
  'query.save': ({ body }, context) =>
    savedQueries(context.store).add(named(body), { time: isoNow(context), by: context.caller }),
  'query.update': ({ params, body }, context) => {
    const saved = savedQueries(context.store).replace(params.id, named(body), isoNow(context));
    if (!saved) throw noQuery();
    return saved;
  },
  'query.delete': ({ params }, { store }) => {
    if (!savedQueries(store).remove(params.id)) throw noQuery();
    return { success: true };
  },
  'query.config': ({ query }, { store }) => {
    const domain = domainNamed(query.query_domain, false);
    if (!domain)
      throw new ServiceError(
        400,
        `Unknown query domain: ${query.query_domain.slice(0, 100)}`,
        'query_domain',
      );
    const apps = appsOf(store);
    if (!isEveryApp(query.saas_id) && !apps.some((app) => app.is_saas && app.name === query.saas_id))
      throw new ServiceError(400, `Unknown app: ${query.saas_id.slice(0, 100)}`, 'saas_id');
    return configOf(domain, apps, customLists(store).all());
  },
  'query.export': ({ body }, { store }) => {
    const saved = savedQueries(store);
    const queries = body.ids.map((id) => {
      const found = saved.get(id);
      if (!found) throw new ServiceError(404, `No such query: ${id.slice(0, 100)}`, 'ids');
      return found;
    });
    const text = JSON.stringify({ kind: 'parapet-queries', version: QUERY_FILE_VERSION, queries }, null, 2);
    return { file: { name: 'queries.json', type: 'application/json', bytes: text } };
  },
  'query.import': ({ file }, context) => importQueries(file?.text ?? '', context),
} satisfies Handlers;

function named(query: NewQuery): NewQuery {
  if (query.name.trim() === '') throw new ServiceError(400, 'The name is empty', 'name');
  if (!domainNamed(query.domain, false))
    throw new ServiceError(400, `Unknown domain: ${query.domain.slice(0, 100)}`, 'domain');
  return query;
}

function importQueries(text: string, context: ServiceContext): { imported: string[]; error: string[] } {
  const items = queriesOf(text);
  const saved = savedQueries(context.store);
  const names = saved.names();
  const imported: string[] = [];
  const error: string[] = [];
  context.store.db.transaction(() => {
    for (const [index, item] of items.entries()) {
      const result = newQuery.safeParse(item);
      if (!result.success || result.data.name.trim() === '' || !domainNamed(result.data.domain, false)) {
        error.push(labelOf(item, index));
        continue;
      }
      const name = freeName(result.data.name, names);
      names.add(name);
      // The id of the file belongs to the service that it came from.
      saved.add({ ...result.data, id: null, name }, { time: isoNow(context), by: context.caller });
      imported.push(name);
    }
  })();
  return { imported, error };
}

function queriesOf(text: string): unknown[] {
  let parsed: unknown;
  try {
    if (jsonDepth(text) > MAX_FILE_DEPTH) throw new SyntaxError('too deep');
    parsed = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new ServiceError(400, 'The file is not JSON', 'file');
  }
  const { kind, version, queries } = (parsed ?? {}) as Record<string, unknown>;
  if (kind !== 'parapet-queries' || !Array.isArray(queries))
    throw new ServiceError(400, 'The file is not a query file', 'file');
  if (version !== QUERY_FILE_VERSION)
    throw new ServiceError(
      400,
      `The file has version ${String(version).slice(0, 20)}; this service reads ${QUERY_FILE_VERSION}`,
      'version',
    );
  if (queries.length > MAX_IMPORTED)
    throw new ServiceError(400, `A file has at most ${MAX_IMPORTED} queries`, 'queries');
  return queries;
}

function labelOf(item: unknown, index: number): string {
  const name = typeof item === 'object' && item !== null ? (item as Record<string, unknown>)['name'] : null;
  return typeof name === 'string' && name.trim() !== ''
    ? name.slice(0, 200)
    : `Query ${index + 1} of the file`;
}

/** Two queries of one name cannot be told apart in a list. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  let number = 2;
  while (taken.has(`${name} (${number})`)) number += 1;
  return `${name} (${number})`;
}
