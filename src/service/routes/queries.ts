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
import { configOf, isEveryApp } from '../query/config.ts';
import { appNamed, execute, shapeNamed } from '../query/execute.ts';
import { tableOf, wordedRows } from '../query/export.ts';
import { checkFileOptions, fileOf } from '../query/files.ts';
import { runAction } from '../query/run-action.ts';
import { may } from '../roles.ts';
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
  'query.execute': async ({ body }, context) => execute(body, await executeContext(context)),
  'query.list': async ({ query }, context) => ({
    queries: await context.store.queries.list(query, context.now()),
    caller: callerOf(context),
  }),
  'query.get': async ({ params }, { store, now }) => {
    const query = await store.queries.get(params.id, now());
    if (!query) throw noQuery();
    return query;
  },
  'query.save': async ({ body }, context) => {
    const query = owned(checkSaved(body), context, null);
    const stamp = { time: isoNow(context), by: context.caller };
    const [saved] = await context.store.queries.add([{ query, stamp }], context.now());
    return saved!;
  },
  'query.update': async ({ params, body }, context) => {
    const [saved] = await context.store.queries.change(
      [params.id],
      (before) => {
        needOwned(context, before, 'query.update');
        // A client that says which version it changes must not overwrite later changes.
        if (body.updateTime != null && before.updateTime != null && body.updateTime !== before.updateTime)
          throw new ServiceError(409, 'The query was changed since it was read', 'updateTime');
        return owned(checkSaved(body), context, before);
      },
      isoNow(context),
      context.now(),
    );
    if (typeof saved !== 'object' || saved === null) throw noQuery();
    return saved;
  },
  'query.delete': async ({ params }, context) => {
    const { queries } = context.store;
    const before = await queries.get(params.id, context.now());
    if (!before) throw noQuery();
    needOwned(context, before, 'query.delete');
    await queries.remove(params.id);
    return { success: true };
  },
  'query.config': async ({ query }, context) => {
    const { store, saas } = await executeContext(context);
    const shape = shapeNamed(store, query.query_domain, false);
    appNamed(query.saas_id, saas);
    return configOf(shape, store);
  },
  'query.export': async ({ body }, context) => {
    const saved = await context.store.queries.list({}, context.now());
    const byId = new Map(saved.map((query) => [query.id, query]));
    const ownQueries = () => saved.filter((query) => mayOwned(context, query, 'query.export'));
    const queries = (body.ids ?? ownQueries().map(({ id }) => id)).map((id) => {
      const query = byId.get(id);
      if (!query) throw new ServiceError(404, `No such query: ${id.slice(0, 100)}`, 'ids');
      needOwned(context, query, 'query.export');
      return query;
    });
    const text = writeSent({ kind: 'parapet-queries', version: QUERY_FILE_VERSION, queries }, 2);
    return { file: { name: 'queries.json', type: 'application/json', bytes: text } };
  },
  'query.import': ({ file }, context) => importQueries(file?.text ?? '', context),
  'query.export-results': async ({ params, body }, context) => {
    const query = await context.store.queries.get(params.id, context.now());
    if (!query) throw noQuery();
    needOwned(context, query, 'query.export-results');
    const format = checkFileOptions(body.format, body.password);
    const table = await tableOf(query, await executeContext(context));
    return { file: await fileOf('results', table, format, body.password) };
  },
  'query.export-active-users': async ({ body }, context) => {
    const running = await executeContext(context);
    if (!isEveryApp(body.saas) && !running.saas.includes(body.saas))
      throw new ServiceError(400, `Unknown app: ${body.saas.slice(0, 100)}`, 'saas');
    const format = checkFileOptions(body.format, body.password);
    const columns = shapeNamed(context.store, 'user', false).columns.map(({ id, label }) => ({ id, label }));
    const rows = await wordedRows(
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
  'query.action': async ({ params, body }, context) => {
    const isSaved = async () => (await context.store.queries.get(params.id, context.now())) !== null;
    if (params.id !== UNSAVED_QUERY && !(await isSaved())) throw noQuery();
    return runAction(body, (await executeContext(context)).saas, context);
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

async function importQueries(text: string, context: ServiceContext): Promise<Imported> {
  const items = queriesOf(text);
  const { queries } = context.store;
  const free = freeNames(await queries.names());
  const stamp = { time: isoNow(context), by: context.caller };
  const read = items.map((item, index) => readItem(item, index, context));
  const failed = read.flatMap((item) => ('reason' in item ? [item] : []));
  const added = await queries.add(
    read.flatMap((item) =>
      'reason' in item
        ? []
        : // The id in the file belongs to the service it came from.
          [{ query: { ...item.query, id: null, name: free(item.query.name) }, stamp }],
    ),
    context.now(),
  );
  return { imported: added.map(({ name }) => name), error: failed.map(({ label }) => label), failed };
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
function freeNames(usedNames: Set<string>): (name: string) => string {
  const next = new Map<string, number>();
  return (name) => {
    let free = name;
    for (let number = next.get(name) ?? 2; usedNames.has(free); number += 1) {
      const tail = ` (${number})`;
      free = `${name.slice(0, MAX_QUERY_NAME - tail.length)}${tail}`;
      next.set(name, number + 1);
    }
    usedNames.add(free);
    return free;
  };
}
