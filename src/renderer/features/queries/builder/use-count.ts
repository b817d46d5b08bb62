import { useEffect, useRef, useState } from 'react';
import { type Read, useRead } from '#renderer/bridge/use-read.ts';
import type { BridgeError } from '#shared/bridge/errors.ts';
import type { Freshness } from '#shared/bridge/freshness.ts';
import { countAllPayload, countPayload, type RunPayload } from '../query-run.ts';

const DEBOUNCE_MS = 300;

/** The value once it has not changed for a while; compared as JSON, so that equal payloads do not restart it. */
function useSettled<T>(value: T): T {
  const text = JSON.stringify(value);
  const [settled, setSettled] = useState({ text, value });
  useEffect(() => {
    if (settled.text === text) return undefined;
    const timer = setTimeout(() => setSettled({ text, value: JSON.parse(text) as T }), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text, settled.text]);
  return settled.value;
}

export interface LiveCount {
  /** null: not known. While a newer one is asked for, the last. */
  total: number | null;
  /** Without any condition. */
  of: number | null;
  freshness: Freshness | null;
  error: BridgeError | null;
  counting: boolean;
}

const totalOf = (read: Read<'query.execute'>) => read.data?.total_rows ?? null;

/** What the conditions match now: asked 300 ms after the last change, the question before it cancelled. */
export function useLiveCount(payload: RunPayload | null, enabled: boolean): LiveCount {
  const settled = useSettled(payload);
  const asks = enabled && settled !== null;
  const count = useRead('query.execute', asks ? { body: countPayload(settled) } : null);
  const all = useRead('query.execute', asks ? { body: countAllPayload(settled) } : null);
  const last = useRef<number | null>(null);
  const total = totalOf(count);
  if (total !== null) last.current = total;
  const waiting = JSON.stringify(settled) !== JSON.stringify(payload);
  return {
    total: total ?? (count.error || !asks ? null : last.current),
    of: totalOf(all),
    freshness: count.freshness,
    error: count.error,
    counting: enabled && (waiting || count.loading || count.revalidating),
  };
}
