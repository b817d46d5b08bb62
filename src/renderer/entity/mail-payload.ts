/** Requests for the emails of an evidence mailbox. */
import { rowsPayload } from '#renderer/state/rows-payload.ts';
import type { ExecutePayload } from '#shared/api/catalogue/queries.ts';
import type { Sort } from '#shared/model/entities.ts';
import type { Condition, ConditionGroup } from '#shared/query/tree.ts';

/** The emails that deserve a look. */
export const LOUD: ConditionGroup = {
  operator: 'and',
  conditions: [{ field: 'verdict', operator: 'in_list', values: ['found', 'suspicious'] }],
};
/** By verdict, then by score. */
export const WORST_FIRST: Sort = { dbId: 'verdict', direction: 'asc' };

const COLUMNS = ['received', 'verdict', 'verdict_code', 'subject', 'from_email', 'saas'];

/** The newest `rows` emails under a condition, and how many there are; with 0 only the number. */
export const mailPayload = (condition: ConditionGroup, rows: number): ExecutePayload => ({
  ...rowsPayload('email', condition, rows, rows > 0 ? COLUMNS : []),
  sort_by: rows > 0 ? [{ dbId: 'received', direction: 'desc' }] : [],
});

export const countOf = (...conditions: Condition[]): { body: ExecutePayload } => ({
  body: mailPayload({ operator: 'and', conditions }, 0),
});
