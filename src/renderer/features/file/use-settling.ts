/** What changes by itself while a file is looked at: rescans that end, and actions planned for a date. */
import { useEffect, useRef } from 'react';
import { useTab } from '#renderer/state/tab-context.ts';
import { toInstant } from '#shared/model/clock.ts';
import type { FileReads } from './use-file.ts';

const SOONEST_MS = 1_000;
const LATEST_MS = 60_000;
/** The service is done a moment after the time it named. */
const GRACE_MS = 400;

/** How long to wait before asking again, in ms; null: nothing is under way. A time that is not known means soon. */
export function nextLook(untils: readonly (string | null)[], now: number): number | null {
  const times = untils.flatMap((until) => (until === null ? [] : [toInstant(until) ?? now]));
  if (times.length === 0) return null;
  return Math.min(LATEST_MS, Math.max(SOONEST_MS, Math.min(...times) - now + GRACE_MS));
}

/** Asks again when something that is under way should have ended. */
export function useSettling(file: FileReads): void {
  const { isActive } = useTab();
  const { scans, stack } = file.tools;
  const planned = file.props.data?.pending_actions ?? file.profile.data?.pending_actions ?? [];
  const untils = [
    ...(stack?.rows ?? []).map(({ rescanUntil }) => rescanUntil),
    ...planned.map(({ time }) => time),
  ];
  const waits = isActive && file.sendRefusal === null && untils.some((until) => until !== null);
  const latest = useRef({ file, untils });
  latest.current = { file, untils };
  // Every answer sets the next look, also one that says the same again.
  const round = waits ? `${scans.freshness?.fetchedAt} ${file.profile.freshness?.fetchedAt} ${untils}` : null;
  useEffect(() => {
    const wait = round === null ? null : nextLook(latest.current.untils, Date.now());
    if (wait === null) return undefined;
    const timer = setTimeout(() => {
      const { profile, props, tools, events } = latest.current.file;
      for (const read of [profile, props, tools.scans, events.first]) read.refresh();
    }, wait);
    return () => clearTimeout(timer);
  }, [round]);
}
