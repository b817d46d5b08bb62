/** Turns a figure of Home into a query over the service's own fields, so that both give the same count. */

import { domainConfig } from '#renderer/state/domain-config.ts';
import { blankQuery } from '#renderer/state/drafts.ts';
import { openPivot } from '#renderer/state/navigation.ts';
import { attempt } from '#renderer/state/show-failure.ts';
import { toInstant } from '#shared/model/clock.ts';
import type { App, FieldConfig, NewQuery, QueryConfig, Statistics } from '#shared/model/entities.ts';
import { fieldTypeOf } from '#shared/query/operators.ts';
import type { Condition } from '#shared/query/tree.ts';

/** The domains whose entities apps scan. */
export const SCANNED = [
  { domain: 'email', label: 'Emails' },
  { domain: 'file', label: 'Files' },
  { domain: 'message', label: 'Messages' },
] as const;
type ScannedDomain = (typeof SCANNED)[number]['domain'];

/** The entity type of an app; email by default. */
export function domainOf({ name, category }: Pick<App, 'name' | 'category'>): ScannedDomain {
  const text = `${category ?? ''} ${name}`.toLowerCase();
  if (/mail/.test(text)) return 'email';
  if (/file|drive|sharepoint|box/.test(text)) return 'file';
  return /messag|chat|teams|slack/.test(text) ? 'message' : 'email';
}

/** The time of statistics, in ISO 8601: after `from`, up to and including `to`. */
type Counted = Pick<Statistics, 'from' | 'to'>;

export interface FigureRequest {
  domain: ScannedDomain;
  name: string;
  /** Only entities of the time that was counted: a later query would find more. */
  counted?: Counted | undefined;
  saas?: string | undefined;
  /** Apps that the number does not include. */
  without?: readonly string[] | undefined;
  /** A verdict, or a field with that name. */
  what: { verdict: string } | { is: 'quarantined' | 'reported' | 'restore-waiting' | 'scanned' };
}

const has = (operator: string) => (field: FieldConfig) => field.operators.includes(operator);
const pick = (config: QueryConfig, id: string, operator: string) =>
  config.fields.find((field) => (field.id === id || field.dbId === id) && has(operator)(field));

/** Null if this service does not support it. */
function conditionOf(config: QueryConfig, what: FigureRequest['what']): Condition | null {
  const ask = (id: string, operator: string, ...values: Condition['values']) => {
    const field = pick(config, id, operator);
    return field ? { field: field.id, operator, values } : null;
  };
  if ('verdict' in what) return ask('verdict', 'is', what.verdict);
  if (what.is === 'quarantined') return ask('quarantined', 'is_true');
  if (what.is === 'reported') return ask('user_reported', 'greater_than', 0);
  if (what.is === 'scanned') return ask('verdict', 'is_not', 'not-scanned');
  return ask('restore_state', 'is', 'requested');
}

const timeField = (config: QueryConfig, operator: string) =>
  config.fields.find((field) => fieldTypeOf(field.type) === 'date' && has(operator)(field));

/** Restricts to entities after an instant (ISO 8601), or null if there is no date field to filter by. */
export function sinceCondition(config: QueryConfig, since: string): Condition | null {
  const time = timeField(config, 'after');
  return time ? { field: time.id, operator: 'after', values: [since] } : null;
}

/** Restricts to the time of a figure: undefined if the service does not say which, null if it is not supported. */
function spanCondition(config: QueryConfig, { from, to }: Counted): Condition | null | undefined {
  if (from == null) return undefined;
  const [first, last] = [toInstant(from), toInstant(to)];
  const time = timeField(config, 'between');
  if (first === null || last === null || !time) return sinceCondition(config, from);
  const values = [first + 1, last].map((instant) => new Date(instant).toISOString());
  return { field: time.id, operator: 'between', values };
}

/** The query; null when this service has no fields for it. */
export function figureQuery(
  config: QueryConfig,
  { domain, name, counted, saas, without = [], what }: FigureRequest,
): NewQuery | null {
  const condition = conditionOf(config, what);
  const time = counted && spanCondition(config, counted);
  const app = without.length > 0 ? pick(config, 'saas', 'not_in_list') : undefined;
  if (!condition || time === null || (without.length > 0 && !app)) return null;
  const others = app ? [{ field: app.id, operator: 'not_in_list', values: [...without] }] : [];
  const conditions = [...(time ? [time] : []), condition, ...others];
  return { ...blankQuery(domain), name, saas: saas ?? null, filter: { operator: 'and', conditions } };
}

/** Opens a figure as a query, or shows a toast with the reason why not. */
export const openFigureQuery = (request: FigureRequest): Promise<unknown> =>
  attempt('This figure can’t be opened as a query', async () => {
    const query = figureQuery(await domainConfig(request.domain), request);
    if (!query) throw new Error('This service has no query field for it.');
    openPivot(query);
  });
