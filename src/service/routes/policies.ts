/** policies/*: scheduled work. A policy here is a saved query; its schedule says what it sends. */
import { dictionary } from '#shared/dictionary.ts';
import type { Query } from '#shared/model/entities.ts';
import { parseQueryStatus } from '#shared/model/query-status.ts';
import type { Handlers, ServiceContext } from '../http/context.ts';
import { ServiceError } from '../http/errors.ts';
import { tableOf } from '../query/export.ts';
import { checkFileOptions, fileOf } from '../query/files.ts';

const MAX_POLICIES = 1_000;

/** A string is a refusal in words. */
type Change = Partial<Query> | string;

const OPERATORS: Readonly<Record<string, (query: Query) => Change>> = dictionary({
  enable: (query) =>
    query.subType === 'template'
      ? 'A template does not run'
      : parseQueryStatus(query.status ?? '') === 'running'
        ? 'It runs already'
        : { status: 'running' },
  disable: (query) =>
    parseQueryStatus(query.status ?? '') === 'stopped' ? 'It is stopped already' : { status: 'stopped' },
  pause: (query) =>
    parseQueryStatus(query.status ?? '') === 'running'
      ? { status: 'paused' }
      : 'Only what runs can be paused',
  resume: (query) =>
    parseQueryStatus(query.status ?? '') === 'paused' ? { status: 'running' } : 'It is not paused',
  unschedule: (query) => (query.scheduledExport ? { scheduledExport: null } : 'It has no scheduled export'),
});

export const policyHandlers = {
  'policies.operation': async ({ body }, context) => {
    const change = OPERATORS[body.operator];
    if (!change)
      throw new ServiceError(400, `The operator is one of ${Object.keys(OPERATORS).join(', ')}`, 'operator');
    const ids = [...new Set(body.policies_ids)];
    if (ids.length === 0) throw new ServiceError(400, 'No policy is named', 'policies_ids');
    if (ids.length > MAX_POLICIES)
      throw new ServiceError(400, `Takes ${MAX_POLICIES} policies at once`, 'policies_ids');
    const now = context.now();
    const results = await context.store.queries.change(
      ids,
      (query) => {
        const changed = change(query);
        return typeof changed === 'string' ? changed : { ...query, ...changed };
      },
      new Date(now).toISOString(),
      now,
    );
    const outcomes = results.map((result, index) => {
      const id = ids[index] ?? '';
      if (typeof result === 'object' && result !== null) return { id, success: true };
      return { id, success: false, error: result ?? 'There is no such policy' };
    });
    return { success: outcomes.every(({ success }) => success), outcomes };
  },
  'policies.send-result': async ({ params }, context) => {
    const { store } = context;
    const query = await store.queries.get(params.id, context.now());
    if (!query) throw new ServiceError(404, 'No such policy', 'id');
    const schedule = query.scheduledExport;
    if (!schedule) throw new ServiceError(400, 'This query has no scheduled export', 'scheduledExport');
    const password = await store.queries.password(query);
    if (password === undefined)
      throw new ServiceError(
        409,
        'The password of this export is not known since the service started anew. Enter it again.',
        'scheduledExport.password',
      );
    const table = await tableOf(query, await executeContext(context));
    const format = checkFileOptions(schedule.format, password ?? undefined);
    const file = await fileOf('results', table, format, password ?? undefined);
    const now = context.now();
    await store.queries.sent({
      ...{ query, time: now, format },
      rows: table.rows.length,
      bytes: file.bytes.length,
      isSealed: password !== null,
    });
    return {
      success: true,
      sent_at: new Date(now).toISOString(),
      rows: table.rows.length,
      recipients: [...schedule.emails],
      format,
      bytes: file.bytes.length,
      sealed: password !== null,
    };
  },
} satisfies Handlers;

/** The context for running a saved query. */
export const executeContext = async ({ store, now }: ServiceContext) => ({
  store,
  saas: (await store.stack.apps()).filter((app) => app.is_saas).map(({ name }) => name),
  now: now(),
});
