/** query/*: the saved queries, their config, running them, and their files. */
import { QUERY_FILE_VERSION, UNSAVED_QUERY } from '#shared/api/catalogue/queries.ts';
import type { NewQuery } from '#shared/model/entities.ts';
import { parseShown, writeSent } from '#shared/model/exact-numbers.ts';
import { isTooDeep } from '#shared/model/json-depth.ts';
import { MAX_FILE_NESTING, MAX_QUERY_NAME, queriesIn, readFileQuery } from '#shared/query/query-file.ts';
import type { ConditionGroup } from '#shared/query/tree.ts';
import type { Handlers, ServiceContext } from '../http/context.ts';
import { ServiceError } from '../http/errors.ts';
import { callerOf, mayOwned, need, needOwned } from '../http/permissions.ts';
import { checkSaved } from '../query/check-saved.ts';
import { configOf, domainNamed, isEveryApp } from '../query/config.ts';
import { execute } from '../query/execute.ts';
import { tableOf, wordedRows } from '../query/export.ts';
import { checkFileOptions, fileOf } from '../query/files.ts';
import { runAction } from '../query/run-action.ts';
import { may } from '../roles.ts';
import { appsOf } from '../store-sqlite/apps.ts';
import { customLists } from '../store-sqlite/lists.ts';
import { savedQueries } from '../store-sqlite/queries.ts';
import { user } from '../store-sqlite/query/others.ts';
import { executeContext } from './policies.ts';

/** An account that is enabled and has been signed in to. */
const ACTIVE: ConditionGroup = {
  operator: 'and',
  conditions: [
    { field: 'state', operator: 'is', values: ['active'] },
    { field: 'last_login', operator: 'is_not_empty', values: [] },
  ],
};

const noQuery = () => new ServiceError(404, 'No such query', 'id');
const isoNow = (context: ServiceContext) => new Date(context.now()).toISOString();

export const queryHandlers = {
  'query.execute': ({ body }, context) => execute(body, executeContext(context)),
  'query.list': ({ query }, context) => ({
    queries: savedQueries(context.store, context.now()).list(query),
    caller: callerOf(context),
  }),
  'query.get': ({ params }, { store, now }) => {
    const query = savedQueries(store, now()).get(params.id);
    if (!query) throw noQuery();
    return query;
  },
  'query.save': ({ body }, context) =>
    savedQueries(context.store, context.now()).add(owned(checkSaved(body), context, null), {
      time: isoNow(context),
      by: context.caller,
    }),
  'query.update': ({ params, body }, context) => {
    const queries = savedQueries(context.store, context.now());
    const before = queries.get(params.id);
    if (!before) throw noQuery();
    needOwned(context, before, 'query.update');
    // A client that says which version it changes must not overwrite later changes.
    if (body.updateTime != null && before.updateTime != null && body.updateTime !== before.updateTime)
      throw new ServiceError(409, 'The query was changed since it was read', 'updateTime');
    const saved = queries.replace(params.id, owned(checkSaved(body), context, before), isoNow(context));
    if (!saved) throw noQuery();
    return saved;
  },
  'query.delete': ({ params }, context) => {
    const queries = savedQueries(context.store, context.now());
    const before = queries.get(params.id);
    if (!before) throw noQuery();
    needOwned(context, before, 'query.delete');
    queries.remove(params.id);
    return { success: true };
  },
  'query.config': ({ query }, { store }) => {
    const domain = domainNamed(query.query_domain, false, store.source);
    if (!domain)
      throw new ServiceError(
        400,
        `Unknown query domain: ${query.query_domain.slice(0, 100)}`,
        'query_domain',
      );
    const apps = appsOf(store);
    if (!isEveryApp(query.saas_id) && !apps.some((app) => app.is_saas && app.name === query.saas_id))
      throw new ServiceError(400, `Unknown app: ${query.saas_id.slice(0, 100)}`, 'saas_id');
    return configOf(domain, apps, customLists(store));
  },
  'query.export': ({ body }, context) => {
    const saved = savedQueries(context.store, context.now());
    const ownQueries = () => saved.list({}).filter((query) => mayOwned(context, query, 'query.export'));
    const queries = (body.ids ?? ownQueries().map(({ id }) => id)).map((id) => {
      const query = saved.get(id);
      if (!query) throw new ServiceError(404, `No such query: ${id.slice(0, 100)}`, 'ids');
      needOwned(context, query, 'query.export');
      return query;
    });
    const text = writeSent({ kind: 'parapet-queries', version: QUERY_FILE_VERSION, queries }, 2);
    return { file: { name: 'queries.json', type: 'application/json', bytes: text } };
  },
  'query.import': ({ file }, context) => importQueries(file?.text ?? '', context),
  'query.export-results': async ({ params, body }, context) => {
    const query = savedQueries(context.store, context.now()).get(params.id);
    if (!query) throw noQuery();
    needOwned(context, query, 'query.export-results');
    const format = checkFileOptions(body.format, body.password);
    const table = tableOf(query, executeContext(context));
    return { file: await fileOf('results', table, format, body.password) };
  },
  'query.export-active-users': async ({ body }, context) => {
    const running = executeContext(context);
    if (!isEveryApp(body.saas) && !running.saas.includes(body.saas))
      throw new ServiceError(400, `Unknown app: ${body.saas.slice(0, 100)}`, 'saas');
    const format = checkFileOptions(body.format, body.password);
    const columns = user.columns.map(({ id, label }) => ({ id, label }));
    const rows = wordedRows(
      {
        domain: 'user',
        saas: body.saas,
        entityType: 'user',
        condition: ACTIVE,
        columns: columns.map(({ id }) => id),
        sort: [{ dbId: 'email', direction: 'asc' }],
      },
      running,
    );
    return { file: await fileOf('active-users', { columns, rows }, format, body.password) };
  },
  'query.action': ({ params, body }, context) => {
    if (params.id !== UNSAVED_QUERY && !savedQueries(context.store, context.now()).get(params.id))
      throw noQuery();
    return runAction(body, executeContext(context).saas, context);
  },
} satisfies Handlers;

/** Fields that a service adds to a schedule; a client that sends them back changes nothing. */
const ANSWERED: ReadonlySet<string> = new Set(['last_sent', 'next_run', 'has_password', 'password']);
const scheduleText = (query: Pick<NewQuery, 'scheduledExport'> | null): string =>
  JSON.stringify(
    Object.entries(query?.scheduledExport ?? {})
      .filter(([name, value]) => !ANSWERED.has(name) && value != null)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

/**
 * The query as this caller may save it: only those who may send results can set or redirect a schedule, and those who
 * may not change queries of others save under their own name. Throws a 403.
 */
function owned(query: NewQuery, context: ServiceContext, before: NewQuery | null): NewQuery {
  const sends = query.scheduledExport != null;
  if (sends && (query.scheduledExport?.password || scheduleText(query) !== scheduleText(before)))
    need(context, 'schedule');
  return may(context.role, 'all-queries') ? query : { ...query, createdBy: context.caller };
}

type Imported = { imported: string[]; error: string[]; failed: { label: string; reason: string }[] };

function importQueries(text: string, context: ServiceContext): Imported {
  const items = queriesOf(text);
  const saved = savedQueries(context.store, context.now());
  const free = freeNames(saved.names());
  const imported: string[] = [];
  const failed: Imported['failed'] = [];
  context.store.db.transaction(() => {
    for (const [index, item] of items.entries()) {
      const read = readItem(item, index, context);
      if ('reason' in read) {
        failed.push(read);
        continue;
      }
      const { query } = read;
      const name = free(query.name);
      // The id in the file belongs to the service it came from.
      saved.add({ ...query, id: null, name }, { time: isoNow(context), by: context.caller });
      imported.push(name);
    }
  })();
  return { imported, error: failed.map(({ label }) => label), failed };
}

/** The query of a file's item, or what is wrong with it. */
function readItem(
  item: unknown,
  index: number,
  context: ServiceContext,
): { query: NewQuery } | { label: string; reason: string } {
  const read = readFileQuery(item, index);
  if (!read.ok) return { label: read.label, reason: read.problem.message };
  try {
    return { query: owned(read.query, context, null) };
  } catch (error) {
    if (error instanceof ServiceError) return { label: read.query.name, reason: error.message };
    throw error;
  }
}

function queriesOf(text: string): unknown[] {
  let parsed: unknown;
  try {
    if (isTooDeep(text, MAX_FILE_NESTING)) throw new SyntaxError('too deep');
    parsed = parseShown(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new ServiceError(400, 'The file is not JSON', 'file');
  }
  const queries = queriesIn(parsed);
  if (queries.ok) return queries.queries;
  const field = { 'not-queries': 'file', empty: 'file', count: 'queries', version: 'version' }[
    queries.problem
  ];
  throw new ServiceError(400, `The file cannot be imported: ${queries.message}`, field);
}

/** Queries with the same name would be indistinguishable: later ones get a number, within the maximum length. */
function freeNames(taken: Set<string>): (name: string) => string {
  const next = new Map<string, number>();
  return (name) => {
    let free = name;
    for (let number = next.get(name) ?? 2; taken.has(free); number += 1) {
      const tail = ` (${number})`;
      free = `${name.slice(0, MAX_QUERY_NAME - tail.length)}${tail}`;
      next.set(name, number + 1);
    }
    taken.add(free);
    return free;
  };
}
