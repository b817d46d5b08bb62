/** Requests on entities: actions now or at a date, rescans, reports. */

import { toInstant } from '#shared/model/clock.ts';
import { isOneOf } from '#shared/model/narrow.ts';
import type { Handlers, ServiceContext } from '../http/context.ts';
import { ServiceError } from '../http/errors.ts';
import { type ActionData, checkAction, ENTITY_ACTIONS, isEntityAction } from '../store/action.ts';

const MAX_TARGETS = 10_000;
const MAX_REASON = 2_000;
/** Clocks of consoles and services differ: a date this little in the past means now. */
const LATE_MS = 60_000;
const ZONED = /(?:Z|[+-]\d{2}:?\d{2})$/i;

const actorOf = ({ caller, role }: ServiceContext) => ({ name: caller ?? 'unknown', role });

/** Milliseconds since the epoch, or null for now. */
function dueOf(text: string | null, now: number): number | null {
  if (text === null) return null;
  const instant = ZONED.test(text) ? toInstant(text) : null;
  if (instant === null)
    throw new ServiceError(400, 'The date is no ISO 8601 date with a zone', 'date_trigger');
  if (instant < now - LATE_MS) throw new ServiceError(400, 'The date has passed', 'date_trigger');
  return instant <= now ? null : instant;
}

function reasonOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' || value.length > MAX_REASON)
    throw new ServiceError(400, `A reason is text of at most ${MAX_REASON} characters`, 'data.reason');
  return value;
}

export const actionHandlers = {
  'manual-actions.create': async ({ body }, context) => {
    const { action } = body.data;
    if (!isEntityAction(action))
      throw new ServiceError(400, `The action is one of ${ENTITY_ACTIONS.join(', ')}`, 'data.action');
    if (body.entity_ids.length === 0 || body.entity_ids.length > MAX_TARGETS)
      throw new ServiceError(400, `An action has 1 to ${MAX_TARGETS} targets`, 'entity_ids');
    const reason = reasonOf(body.data['reason']);
    const data: ActionData = { action, ...(reason === undefined ? {} : { reason }) };
    if (action === 'decline' && (reason ?? '').trim() === '')
      throw new ServiceError(400, 'A declined request needs a reason', 'data.reason');
    const allowed = checkAction(data, context.role);
    if (!allowed.success) throw new ServiceError(403, allowed.error, action);
    const now = context.now();
    const due = dueOf(body.date_trigger, now);
    const ids = [...new Set(body.entity_ids)];
    const request = { entityType: body.entity_type, data, actor: actorOf(context), at: now, due };
    const results = await context.store.actions.perform(ids, request);
    const outcomes = results.map((outcome, index) => ({
      entity_id: ids[index] ?? '',
      ...outcome,
      error: outcome.success ? null : outcome.error,
    }));
    return { success: outcomes.every(({ success }) => success), outcomes };
  },

  'entity.rescan': async ({ body }, context) => {
    const { actions, entities } = context.store;
    const entity = await entities.typeOf(body.entity_id);
    if (!entity || entity.type !== body.src_entity_type)
      throw new ServiceError(404, `No such ${body.src_entity_type.slice(0, 40)}`, 'entity_id');
    const able = await actions.rescannable(entity.type, entity.id);
    if (!able || able.length === 0)
      throw new ServiceError(409, 'No tool of this service looks at it, so none can look again', 'entity_id');
    const tools = body.app_names.length === 0 ? able : [...new Set(body.app_names)];
    const wrong = tools.find((tool) => !able.includes(tool));
    if (wrong !== undefined)
      throw new ServiceError(400, `${wrong.slice(0, 60)} does not look at this entity`, 'app_names');
    const until = await actions.rescan(entity.type, entity.id, tools, actorOf(context), context.now());
    return { success: true, app_names: tools, expected_at: new Date(until).toISOString() };
  },

  'email.report': async ({ body }, context) => {
    const { actions, entities, mails } = context.store;
    if (!isReport(body.report))
      throw new ServiceError(400, `The report is one of ${REPORTS.join(', ')}`, 'report');
    const comment = reasonOf(body['comment']) ?? '';
    const entity = await entities.typeOf(body.entity_id);
    if (!entity || (entity.type !== 'email' && entity.type !== 'file'))
      throw new ServiceError(404, 'No such email or file', 'entity_id');
    const email = entity.type === 'email' ? await mails.find(entity.id) : null;
    if (email && email.file_id !== null)
      throw new ServiceError(409, 'Mail evidence is only read: there is nobody to report it to', 'entity_id');
    await actions.report({
      entityType: entity.type,
      entityId: entity.id,
      verdict: body.report,
      comment,
      actor: actorOf(context),
      at: context.now(),
    });
    return { success: true };
  },
} satisfies Handlers;

const REPORTS = ['phishing', 'malware', 'spam', 'suspicious', 'clean'] as const;
const isReport = (word: string): boolean => isOneOf(REPORTS, word);
