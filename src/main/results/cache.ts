/** The disk space of result sets, and how they free some. The core adds cached answers to these figures. */
import { ParapetError } from '#shared/bridge/errors.ts';
import type { Context } from '../kernel/context.ts';
import type { SetRecord } from './record.ts';
import type { ResultSets } from './sets.ts';

/** Measured ratio of typed columns and search text on disk to the characters received. */
const DISK_FACTOR = 0.8;
export const sizeOf = (record: SetRecord): number => Math.round(record.bytes * DISK_FACTOR);

export interface ResultStats {
  count: number;
  /** Estimate. */
  bytes: number;
  oldestAt: number | null;
}

export async function statsOf(sets: ResultSets): Promise<ResultStats> {
  const records = await sets.list();
  return {
    count: records.filter((record) => record.supersededAt === null).length,
    bytes: records.reduce((sum, record) => sum + sizeOf(record), 0),
    oldestAt: records.length === 0 ? null : Math.min(...records.map((record) => record.fetchedAt)),
  };
}

/** Removes least recently used result sets until `bytes` are freed; never pinned ones or ones in use. */
export async function evict(sets: ResultSets, bytes: number): Promise<number> {
  const evictable = (await sets.list())
    .filter((record) => !record.pinned && !sets.busy(record.id))
    .sort((a, b) => Number(a.supersededAt === null) - Number(b.supersededAt === null) || a.turn - b.turn);
  const going = new Set<string>();
  let freed = 0;
  for (const record of evictable) {
    if (freed >= bytes) break;
    going.add(record.id);
    freed += sizeOf(record);
  }
  if (going.size > 0) await sets.remove((record) => going.has(record.id));
  return freed;
}

/**
 * Removes all results and answers, or those of a connection, including their bytes on disk: the file is rewritten
 * without them, and the log is truncated.
 */
export async function wipe(ctx: Context, sets: ResultSets, connectionId: string | null): Promise<void> {
  const which = (record: SetRecord) => connectionId === null || record.connectionId === connectionId;
  // Answers to requests in flight must not be cached.
  ctx.generations.cleared(connectionId);
  await sets.remove(which);
  if (connectionId === null) await sets.sweep();
  await ctx.cache.write([
    connectionId === null
      ? { sql: 'DELETE FROM answers' }
      : { sql: 'DELETE FROM answers WHERE connection_id = ?', params: [connectionId] },
  ]);
  await ctx.cache.maintain('PRAGMA secure_delete=ON; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)');
  ctx.cacheChanged();
  if ((await sets.list()).some(which))
    throw new ParapetError(
      'conflict',
      'Everything was removed except results that an export or a fetch is still reading. Wait for it to end, or cancel it, and clear the cache again.',
      { retryable: true },
    );
}
