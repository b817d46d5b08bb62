/** Compares the texts of those mails that an index leaves undecided. */
import { IdSet, idsOf } from './id-set.ts';
import { aliveSql, type Store } from './store.ts';

export interface Comparison {
  table: 'email_texts' | 'header_texts';
  /** SQL of the condition on `t.folded`, and its parameters. */
  holds: string;
  params: readonly string[];
}

/** A comparison of many mails, in chunks of ids. Any thread with a connection to the database may take the next one. */
export interface SharedComparison extends Comparison {
  /** The newest text when it began. Once there is another, a connection without its snapshot must not help. */
  newest: number;
  /** The mails to compare, as bits, in shared memory; so are the rest. */
  mails: Uint8Array;
  /** Those whose text fulfils the condition, of the chunks that are done. A chunk's bytes are written by the thread that took it. */
  held: Uint8Array;
  /** One number: the next chunk. */
  next: Int32Array;
  /** For each chunk: 1 once it is done. */
  done: Int32Array;
}

type Connection = Pick<Store, 'db'>;

/** Ids of a chunk: texts of some 3 ms. */
const CHUNK = 1_024;
/** Fewer mails are compared before another thread could help. */
const SHARED_FROM = 4_096;

/** The ones of these mails whose text fulfils it. */
export const compared = (
  store: Connection,
  ids: readonly number[],
  { table, holds, params }: Comparison,
): number[] =>
  idsOf(
    store,
    `SELECT t.email_id FROM json_each(?) c CROSS JOIN ${table} t ON t.email_id = c.value WHERE ${aliveSql('t.email_id')} AND ${holds}`,
    JSON.stringify(ids),
    ...params,
  );

/** The same for mails whose ids are close together: reading all of a range is faster than looking up most of it. */
function comparedRange(store: Connection, { table, holds, params }: Comparison, from: number): number[] {
  const sql = `SELECT t.email_id FROM ${table} t WHERE t.email_id >= ? AND t.email_id < ? AND ${aliveSql('t.email_id')} AND ${holds}`;
  return idsOf(store, sql, from, from + CHUNK, ...params);
}

/** The asked mails of a chunk whose text fulfils it. */
function comparedChunk(store: Connection, work: SharedComparison, chunk: number): number[] {
  const from = chunk * CHUNK;
  const bits = work.mails.subarray(from / 8, (from + CHUNK) / 8);
  const asked = new IdSet(CHUNK - 1).addBits(0, bits);
  if (asked.size === 0) return [];
  if (asked.size * 2 > CHUNK) return comparedRange(store, work, from).filter((id) => asked.has(id - from));
  const ids = asked.values().map((id) => from + id);
  return compared(store, ids, work);
}

const newestIn = ({ db }: Connection, table: Comparison['table']): number =>
  Number(db.prepare(`SELECT coalesce(max(email_id), 0) FROM ${table}`).pluck().get());

/** Takes chunks until none is left, or this connection no longer sees the same texts. */
export function helpCompare(store: Connection, work: SharedComparison): void {
  const { next, held, done, table, newest } = work;
  for (let chunk = Atomics.add(next, 0, 1); chunk < done.length; chunk = Atomics.add(next, 0, 1)) {
    const holding = comparedChunk(store, work, chunk);
    // A mail that is read again is removed and added in one transaction.
    if (newestIn(store, table) !== newest) return;
    for (const id of holding) held[id >> 3]! |= 1 << (id & 7);
    Atomics.store(done, chunk, 1);
  }
}

const sharedBytes = (bytes: Uint8Array): Uint8Array => {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
};

const sharedNumbers = (length: number): Int32Array => new Int32Array(new SharedArrayBuffer(length * 4));

/** The mails of a set, of ids up to `newest`, whose text fulfils it. */
export function allCompared(store: Store, mails: IdSet, newest: number, comparison: Comparison): IdSet {
  const found = new IdSet(newest);
  if (mails.size < SHARED_FROM) return found.addAll(compared(store, mails.values(), comparison));
  const work: SharedComparison = {
    ...comparison,
    newest: newestIn(store, comparison.table),
    mails: sharedBytes(mails.bits),
    held: new Uint8Array(new SharedArrayBuffer(mails.bits.length)),
    next: sharedNumbers(1),
    done: sharedNumbers(Math.ceil((newest + 1) / CHUNK)),
  };
  try {
    store.share?.(work);
  } catch {
    // This thread compares everything itself.
  }
  try {
    helpCompare(store, work);
  } finally {
    // The other thread takes no more, also if this one was cancelled.
    Atomics.store(work.next, 0, work.done.length);
  }
  // Instead of waiting for the other thread, which may have ended, its last chunk is compared here too, but not into the
  // shared bytes: if both wrote them, bits could be lost.
  for (let chunk = 0; chunk < work.done.length; chunk++)
    if (Atomics.load(work.done, chunk) === 0) found.addAll(comparedChunk(store, work, chunk));
  return found.addBits(0, work.held);
}
