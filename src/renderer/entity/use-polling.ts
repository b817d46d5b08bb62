/** Polls for what changes by itself while a profile is open: finished rescans, scheduled actions, answered requests. */
import { useEffect, useRef } from 'react';
import type { Read } from '#renderer/bridge/use-read.ts';
import { useTab } from '#renderer/state/tab-context.ts';
import type { ReadEndpoint } from '#shared/api/catalogue.ts';
import { toInstant } from '#shared/model/clock.ts';
import type { PendingAction } from '#shared/model/entities.ts';
import type { Stack } from './stack-rows.ts';

const SOONEST_MS = 1_000;
const LATEST_MS = 60_000;
/** The service finishes a moment after the time it announced. */
const GRACE_MS = 400;
/** Someone else may answer the request at any time. */
const REQUEST_MS = 20_000;

/**
 * How long to wait before the next poll, ms; null: nothing to wait for. An unreadable time means soon. `waits`: a
 * request without an announced time is open.
 */
export function nextPoll(untils: readonly (string | null)[], waits: boolean, now: number): number | null {
  const times = untils.flatMap((until) => (until === null ? [] : [toInstant(until) ?? now]));
  if (times.length > 0) return Math.min(LATEST_MS, Math.max(SOONEST_MS, Math.min(...times) - now + GRACE_MS));
  return waits ? REQUEST_MS : null;
}

interface Polling {
  stack: Stack | null;
  pending: readonly PendingAction[];
  /** A request waits for an answer. */
  requested: boolean;
  /** No polling while offline. */
  online: boolean;
  /** The reads to refresh. */
  reads: readonly Pick<Read<ReadEndpoint>, 'refresh' | 'freshness'>[];
}

/** Refreshes the reads when something that is in progress should have finished. */
export function usePolling({ stack, pending, requested, online, reads }: Polling): void {
  const { isShown } = useTab();
  const untils = [
    ...(stack?.rows ?? []).map(({ rescanUntil }) => rescanUntil),
    ...pending.map(({ time }) => time),
  ];
  const waits = isShown && online && (requested || untils.some((until) => until !== null));
  const latest = useRef({ untils, requested, reads });
  latest.current = { untils, requested, reads };
  // Every answer schedules the next poll, even when nothing changed.
  const seen = reads.map(({ freshness }) => freshness?.fetchedAt).join(' ');
  const round = waits ? `${seen} ${untils.join(' ')} ${requested}` : null;
  useEffect(() => {
    const now = latest.current;
    const wait = round === null ? null : nextPoll(now.untils, now.requested, Date.now());
    if (wait === null) return undefined;
    const timer = setTimeout(() => {
      for (const read of latest.current.reads) read.refresh();
    }, wait);
    return () => clearTimeout(timer);
  }, [round]);
}
