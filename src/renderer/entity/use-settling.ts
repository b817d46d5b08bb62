/** What changes by itself while a profile is looked at: rescans that end, planned actions, requests that are answered. */
import { useEffect, useRef } from 'react';
import { useTab } from '#renderer/state/tab-context.ts';
import { toInstant } from '#shared/model/clock.ts';
import { lifecycleOf } from './lifecycle.ts';
import type { EmailReads } from './use-email.ts';

const SOONEST_MS = 1_000;
const LATEST_MS = 60_000;
/** The service is done a moment after the time it named. */
const GRACE_MS = 400;
/** Somebody else may answer a request at any time. */
const REQUEST_MS = 20_000;

/** How long to wait before asking again, in ms; null: nothing is under way. */
export function nextLook(untils: readonly (string | null)[], waits: boolean, now: number): number | null {
  const times = untils.flatMap((until) => {
    const at = toInstant(until);
    return until === null ? [] : [at ?? now];
  });
  if (times.length > 0) return Math.min(LATEST_MS, Math.max(SOONEST_MS, Math.min(...times) - now + GRACE_MS));
  return waits ? REQUEST_MS : null;
}

/** Asks again when something that is under way should have ended. */
export function useSettling(email: EmailReads): void {
  const { isActive } = useTab();
  const lifecycle = lifecycleOf(email.profile.data, email.props.data);
  const rescans = (email.stack?.rows ?? []).map(({ rescanUntil }) => rescanUntil);
  const planned = lifecycle?.pending.map(({ time }) => time) ?? [];
  const wait =
    isActive && email.sendRefusal === null
      ? nextLook([...rescans, ...planned], lifecycle?.state === 'requested', Date.now())
      : null;
  const rescanning = rescans.some((until) => until !== null);
  // Every answer sets the next look, also one that says the same again.
  const seen = `${email.scans.freshness?.fetchedAt} ${email.props.freshness?.fetchedAt}`;
  const latest = useRef(email);
  latest.current = email;
  const next = useRef(wait);
  next.current = wait;
  const waits = wait !== null;
  const round = waits ? `${seen} ${rescanning}` : null;
  useEffect(() => {
    if (round === null || next.current === null) return undefined;
    const timer = setTimeout(() => {
      const { scans, props, events, profile, recipients } = latest.current;
      for (const read of [scans, props, events, profile, recipients]) read.refresh();
    }, next.current);
    return () => clearTimeout(timer);
  }, [round]);
}
