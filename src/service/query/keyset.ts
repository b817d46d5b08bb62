/** "After this row" in any order, as SQL that an index on the first column can use. */

export interface SortKey {
  sql: string;
  descending: boolean;
  nullable: boolean;
}

export interface Clause {
  sql: string;
  params: (string | number)[];
}

type Value = string | number | null;

/**
 * The rows after the given one, as clauses whose results follow one another. SQLite sorts NULL as the smallest
 * value; a range over an index does not hold NULLs, so they get a clause of their own.
 */
export function afterClauses(keys: readonly SortKey[], after: readonly Value[] | null): Clause[] {
  if (after === null || after.length !== keys.length) return [{ sql: '', params: [] }];
  const [first] = keys;
  const value = after[0] ?? null;
  if (!first) return [];
  const beyond = lexicographic(keys, after);
  const nulls = `${first.sql} IS NULL`;
  if (value === null) {
    const among = { sql: `(${nulls} AND ${beyond.sql})`, params: beyond.params };
    return first.descending ? [among] : [among, { sql: `${first.sql} IS NOT NULL`, params: [] }];
  }
  const bound = `${first.sql} ${first.descending ? '<=' : '>='} ?`;
  const range = { sql: `(${bound} AND ${beyond.sql})`, params: [value, ...beyond.params] };
  return first.descending && first.nullable ? [range, { sql: nulls, params: [] }] : [range];
}

/** (a after x) OR (a = x AND b after y) OR … */
function lexicographic(keys: readonly SortKey[], after: readonly Value[]): Clause {
  const parts: string[] = [];
  const params: (string | number)[] = [];
  for (const [index, key] of keys.entries()) {
    const equal = keys.slice(0, index);
    const beyond = beyondOne(key, after[index] ?? null);
    if (beyond === null) continue;
    parts.push(`(${[...equal.map(({ sql }) => `${sql} IS ?`), beyond.sql].join(' AND ')})`);
    for (let i = 0; i < index; i += 1) params.push((after[i] ?? null) as string | number);
    params.push(...beyond.params);
  }
  return { sql: `(${parts.length === 0 ? '0' : parts.join(' OR ')})`, params };
}

function beyondOne(key: SortKey, value: Value): Clause | null {
  if (value === null) return key.descending ? null : { sql: `${key.sql} IS NOT NULL`, params: [] };
  if (!key.descending) return { sql: `${key.sql} > ?`, params: [value] };
  const less = `${key.sql} < ?`;
  return { sql: key.nullable ? `(${less} OR ${key.sql} IS NULL)` : less, params: [value] };
}
