import type { JSX } from 'react';
import { profileTime } from '#shared/model/clock.ts';
import type { Statistics } from '#shared/model/entities.ts';
import { useClock } from '../clock-context.ts';

const HOUR_MS = 3_600_000;
const SPANS = { '24h': [24, '24 hours'], '7d': [168, '7 days'], '30d': [720, '30 days'] } as const;

/** Services may count by whole hours or days. */
const TOLERANCE = 0.1;

function isOtherSpan(from: string, to: string, window: keyof typeof SPANS): boolean {
  const span = SPANS[window][0] * HOUR_MS;
  const counted = Date.parse(to) - Date.parse(from);
  return !(Math.abs(counted - span) <= Math.max(HOUR_MS, span * TOLERANCE));
}

/** A notice that the counts on a screen are not, or may not be, those of the chosen time span. */
export function CountedSpan({
  statistics,
  window,
}: {
  statistics: Pick<Statistics, 'from' | 'to'> | undefined;
  window: keyof typeof SPANS;
}): JSX.Element | null {
  const clock = useClock();
  if (statistics === undefined) return null;
  if (statistics.from == null || statistics.to == null)
    return (
      <p className="pp-caution pp-flat" role="status">
        The service doesn’t say what period these counts cover: it may not be the last {SPANS[window][1]}.
      </p>
    );
  if (!isOtherSpan(statistics.from, statistics.to, window)) return null;
  const [from, to] = [statistics.from, statistics.to].map((time) => profileTime(time, clock));
  return (
    <p className="pp-caution pp-flat" role="status">
      These counts are not for the last {SPANS[window][1]}: the service counted from {from} to {to}.
    </p>
  );
}
