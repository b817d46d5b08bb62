import { useRef } from 'react';
import { type Read, useRead } from '#renderer/bridge/use-read.ts';
import { useSettled } from '#renderer/ui/use-settled.ts';
import { useStable } from '#renderer/ui/use-stable.ts';
import type { RunPayload } from '#shared/api/catalogue/queries.ts';
import type { BridgeError } from '#shared/bridge/errors.ts';
import type { Freshness } from '#shared/bridge/freshness.ts';
import { countAllPayload, countPayload } from '../query-run.ts';

const DEBOUNCE_MS = 300;

export interface Count {
  /** Null if not known. While a newer count is loading, the last one. */
  total: number | null;
  freshness: Freshness | null;
  error: BridgeError | null;
  counting: boolean;
}

export interface LiveCount extends Count {
  /** The count without any condition. */
  of: number | null;
}

const totalOf = (read: Read<'query.execute'>) => read.data?.total_rows ?? null;

/** The count of matches, debounced by 300 ms; an earlier request is cancelled. Null asks nothing. */
export function useCount(payload: RunPayload | null): Count {
  const debounced = useSettled(useStable(payload), DEBOUNCE_MS);
  const isActive = payload !== null && debounced !== null;
  const count = useRead('query.execute', isActive ? { body: countPayload(debounced) } : null);
  const last = useRef<number | null>(null);
  const total = totalOf(count);
  if (total !== null) last.current = total;
  const isWaiting = JSON.stringify(debounced) !== JSON.stringify(payload);
  return {
    total: total ?? (count.error || !isActive ? null : last.current),
    freshness: count.freshness,
    error: count.error,
    counting: payload !== null && (isWaiting || count.loading || count.revalidating),
  };
}

export function useLiveCount(payload: RunPayload | null, enabled: boolean): LiveCount {
  const active = enabled ? payload : null;
  const all = useRead('query.execute', active && { body: countAllPayload(active) });
  return { ...useCount(active), of: totalOf(all) };
}
