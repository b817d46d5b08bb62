/** Groups of mails that share keys, independent of the order in which the mails come. */
import type { SqlValue } from '../../store/stored-values.ts';
import type { Statements } from '../statements.ts';

/** Sizes of groups are counted up to this. */
const MAX_COUNTED = 10_000;

interface KeyTable {
  /** With a column `key` and an indexed column `member_of`: the number of its group. */
  table: string;
  /** The indexed column of emails with the group. */
  column: string;
  /** The number as emails have it. */
  labelOf: (group: number) => SqlValue;
}

export class KeyGroups {
  readonly #sql: Statements;
  readonly #of: KeyTable;

  constructor(sql: Statements, of: KeyTable) {
    this.#sql = sql;
    this.#of = of;
  }

  /** The one group of these keys; groups that they connect are merged. */
  join(keys: readonly (string | number)[]): number {
    const { table } = this.#of;
    const find = this.#sql(`SELECT member_of FROM ${table} WHERE key = ?`).pluck();
    const missing: (string | number)[] = [];
    const groups = new Set<number>();
    for (const key of keys) {
      const group = find.get(key);
      if (group === undefined) missing.push(key);
      else groups.add(Number(group));
    }
    const group = groups.size === 0 ? this.#next() : this.merge([...groups]);
    const insert = this.#sql(`INSERT OR IGNORE INTO ${table} (key, member_of) VALUES (?, ?)`);
    for (const key of missing) insert.run(key, group);
    return group;
  }

  /** Merges into the largest, so that no row is updated often. */
  merge(groups: readonly number[]): number {
    const [first = 0] = groups;
    if (groups.length < 2) return first;
    const { table, column, labelOf } = this.#of;
    const size = (group: number) =>
      Number(
        this.#sql(`SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE member_of = ? LIMIT ${MAX_COUNTED})`)
          .pluck()
          .get(group),
      );
    const sizes = new Map(groups.map((group) => [group, size(group)]));
    const largest = groups.reduce((a, b) => ((sizes.get(b) ?? 0) > (sizes.get(a) ?? 0) ? b : a));
    for (const group of groups) {
      if (group === largest) continue;
      this.#sql(`UPDATE ${table} SET member_of = ? WHERE member_of = ?`).run(largest, group);
      this.#sql(`UPDATE emails SET ${column} = ? WHERE ${column} = ?`).run(labelOf(largest), labelOf(group));
    }
    return largest;
  }

  #next(): number {
    return Number(this.#sql(`SELECT coalesce(max(member_of), 0) + 1 FROM ${this.#of.table}`).pluck().get());
  }
}

export const campaignGroups = (sql: Statements): KeyGroups =>
  new KeyGroups(sql, { table: 'campaign_keys', column: 'campaign_id', labelOf: (group) => group });
