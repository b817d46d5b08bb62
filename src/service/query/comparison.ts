/** Compares the texts of those mails that an index leaves undecided. */
import { aliveSql, type Store } from '../store/store.ts';
import { type IdSet, idsOf } from './id-set.ts';

export interface Comparison {
  table: 'email_texts' | 'header_texts';
  /** SQL of the condition on `t.folded`, and its parameters. */
  holds: string;
  params: readonly string[];
}

/** The ones of these mails whose text fulfils it. */
export const compared = (
  store: Store,
  ids: readonly number[],
  { table, holds, params }: Comparison,
): number[] =>
  idsOf(
    store,
    `SELECT t.email_id FROM json_each(?) c CROSS JOIN ${table} t ON t.email_id = c.value WHERE ${aliveSql('t.email_id')} AND ${holds}`,
    JSON.stringify(ids),
    ...params,
  );

/** The mails of a set, of ids up to `newest`, whose text fulfils it. */
export function allCompared(store: Store, mails: IdSet, newest: number, comparison: Comparison): number[] {
  if (mails.size * 2 <= newest) return compared(store, mails.values(), comparison);
  // Reading all in order is faster than looking up most of them.
  const { table, holds, params } = comparison;
  const sql = `SELECT t.email_id FROM ${table} t WHERE ${aliveSql('t.email_id')} AND ${holds}`;
  return idsOf(store, sql, ...params).filter((id) => mails.has(id));
}
