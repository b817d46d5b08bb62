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

interface NextPoll {
  /** Milliseconds. */
  wait: number;
  /** The announced time has passed. */
  isLate: boolean;
}

/**
 * When to poll next, or null if there is nothing to wait for. An unreadable time means soon. `waits` is a request
 * without an announced time is open. `late`: polls made after the announced time. They become rarer, as the clocks of
 * this machine and of the
 * service may differ by any amount.
 */
export function nextPoll(
  untils: readonly (string | null)[],
  waits: boolean,
  now: number,
  late = 0,
): NextPoll | null {
  const times = untils.flatMap((until) => (until === null ? [] : [toInstant(until) ?? now]));
  if (times.length === 0) return waits ? { wait: REQUEST_MS, isLate: false } : null;
  const wait = Math.min(...times) - now + GRACE_MS;
  const soonest = Math.min(LATEST_MS, SOONEST_MS * 2 ** late);
  return { wait: Math.min(LATEST_MS, Math.max(soonest, wait)), isLate: wait <= GRACE_MS };
}

interface Polling {
  stack: Stack | null;
  pending: readonly PendingAction[];
  requested: boolean;
  /** No polling while offline. */
  online: boolean;
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
  const stamps = reads.map(({ freshness }) => freshness?.fetchedAt).join(' ');
  const round = waits ? `${stamps} ${untils.join(' ')} ${requested}` : null;
  const late = useRef({ of: '', polls: 0 });
  useEffect(() => {
    const now = latest.current;
    const of = now.untils.join(' ');
    if (late.current.of !== of) late.current = { of, polls: 0 };
    const { polls } = late.current;
    const next = round === null ? null : nextPoll(now.untils, now.requested, Date.now(), polls);
    if (next === null) return undefined;
    const timer = setTimeout(() => {
      if (next.isLate) late.current.polls += 1;
      for (const read of latest.current.reads) read.refresh();
    }, next.wait);
    return () => clearTimeout(timer);
  }, [round]);
}
