/** Requests on entities: actions now or at a date, rescans, reports. */

import { toInstant } from '#shared/model/clock.ts';
import { isOneOf } from '#shared/model/narrow.ts';
import type { Handlers, ServiceContext } from '../http/context.ts';
import { ServiceError } from '../http/errors.ts';
import { roleOf } from '../roles.ts';
import type { ActionOutcome } from '../store/action.ts';
import { type ActionData, checkAction, ENTITY_ACTIONS, isEntityAction } from '../store/action.ts';
import { detailOf, type EmailRow } from '../store/emails.ts';
import { typeOf } from '../store/entities.ts';
import { act } from '../store-sqlite/actions.ts';
import { findEmail } from '../store-sqlite/emails.ts';
import { record } from '../store-sqlite/events.ts';
import { beginRescan, rescannable } from '../store-sqlite/rescans.ts';
import { schedule } from '../store-sqlite/scheduled.ts';
import type { Store } from '../store-sqlite/store.ts';

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
  'manual-actions.create': ({ body }, context) => {
    const { store } = context;
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
    const actor = actorOf(context);
    const result = (entityId: string) => {
      const request = { entityType: body.entity_type, entityId, data, actor, at: now };
      const outcome: ActionOutcome & { scheduled?: string } =
        due === null ? act(store, request) : plan(store, { ...request, due });
      return { entity_id: entityId, ...outcome, error: outcome.success ? null : outcome.error };
    };
    const outcomes = store.db.transaction(() => [...new Set(body.entity_ids)].map(result))();
    return { success: outcomes.every(({ success }) => success), outcomes };
  },

  'entity.rescan': ({ body }, context) => {
    const { store } = context;
    const entity = typeOf(store, body.entity_id);
    if (!entity || entity.type !== body.src_entity_type)
      throw new ServiceError(404, `No such ${body.src_entity_type.slice(0, 40)}`, 'entity_id');
    const able = rescannable(store, entity.type, entity.id);
    if (!able || able.length === 0)
      throw new ServiceError(409, 'No tool of this service looks at it, so none can look again', 'entity_id');
    const tools = body.app_names.length === 0 ? able : [...new Set(body.app_names)];
    const wrong = tools.find((tool) => !able.includes(tool));
    if (wrong !== undefined)
      throw new ServiceError(400, `${wrong.slice(0, 60)} does not look at this entity`, 'app_names');
    const until = beginRescan(store, entity.type, entity.id, tools, actorOf(context), context.now());
    return { success: true, app_names: tools, expected_at: new Date(until).toISOString() };
  },

  'email.report': ({ body }, context) => {
    const { store } = context;
    if (!isReport(body.report))
      throw new ServiceError(400, `The report is one of ${REPORTS.join(', ')}`, 'report');
    const comment = reasonOf(body['comment']) ?? '';
    const entity = typeOf(store, body.entity_id);
    if (!entity || (entity.type !== 'email' && entity.type !== 'file'))
      throw new ServiceError(404, 'No such email or file', 'entity_id');
    const email = entity.type === 'email' ? findEmail(store, entity.id) : null;
    if (email && email.file_id !== null)
      throw new ServiceError(409, 'Mail evidence is only read: there is nobody to report it to', 'entity_id');
    const now = context.now();
    const actor = actorOf(context);
    store.db.transaction(() => {
      if (email && body.report !== 'clean') addReport(store, email, actor.name, comment, now);
      record(store, {
        entityId: entity.id,
        at: now,
        type: 'reported',
        actor: actor.name,
        actorLabel: roleOf(actor.role).label,
        summary: body.report === 'clean' ? 'Reported as no threat' : `Reported as ${body.report}`,
        detail: comment.trim() || null,
      });
    })();
    return { success: true };
  },
} satisfies Handlers;

const REPORTS = ['phishing', 'malware', 'spam', 'suspicious', 'clean'] as const;
const isReport = (word: string): boolean => isOneOf(REPORTS, word);

interface Plan {
  entityType: string;
  entityId: string;
  data: ActionData;
  actor: ReturnType<typeof actorOf>;
  at: number;
  due: number;
}

/** Schedules the action; whether it is still possible is checked when it is due. */
function plan(store: Store, { entityType, entityId, data, actor, at, due }: Plan) {
  const entity = typeOf(store, entityId);
  if (!entity || entity.type !== entityType)
    return { success: false as const, error: `There is no such ${entityType.slice(0, 40)}` };
  if (entityType === 'email' && findEmail(store, entityId)?.file_id != null)
    return { success: false as const, error: 'Mail evidence is only read: nothing can be done to it' };
  const scheduled = new Date(due).toISOString();
  store.db.transaction(() => {
    schedule(store, {
      dueAt: due,
      askedAt: at,
      actor: actor.name,
      role: actor.role,
      entityType,
      entityId,
      data,
    });
    record(store, {
      entityId: entity.id,
      at,
      type: 'action_planned',
      actor: actor.name,
      actorLabel: roleOf(actor.role).label,
      summary: `Planned: ${data.action.replaceAll('_', ' ')} at ${scheduled}`,
      detail: data.reason ?? null,
    });
  })();
  return { success: true as const, scheduled };
}

/** The first report sets the time; each reporter counts once. */
function addReport(store: Store, row: EmailRow, by: string, comment: string, time: number): void {
  const detail = detailOf(row);
  const before = detail.report;
  const people = [...new Set([...(before?.by ?? []), by])];
  const report = { at: before?.at ?? time, by: people, comment: comment.trim() || (before?.comment ?? '') };
  store.db
    .prepare('UPDATE emails SET detail = ?, user_reported = ? WHERE id = ?')
    .run(JSON.stringify({ ...detail, report }), people.length, row.id);
}
