/** A time zone's UTC offsets as spans, so that SQLite and a byte loop can format local times. */

export interface Span {
  /** First instant of the span, epoch milliseconds. */
  from: number;
  /** Minutes east of UTC. */
  minutes: number;
}

const DAY = 86_400_000;
const FIRST = Date.UTC(1970, 0, 1);
/** Rules further ahead are unknown. */
const YEARS_AHEAD = 10;

const isUtc = (zone: string) => ['UTC', 'ETC/UTC', 'GMT'].includes(zone.toUpperCase());

/** Spans from 1970 to some years after `now`, oldest first, and the instant where they end; null for UTC. */
export function spansOf(zone: string, now: number): { spans: Span[]; until: number } | null {
  if (isUtc(zone)) return null;
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  const minutesAt = (instant: number): number => {
    const match = /GMT(?:([+-])(\d{2}):(\d{2}))?/.exec(format.format(instant));
    const size = Number(match?.[2] ?? 0) * 60 + Number(match?.[3] ?? 0);
    return match?.[1] === '-' ? -size : size;
  };
  const until = Date.UTC(new Date(now).getUTCFullYear() + YEARS_AHEAD, 0, 1);
  let before = minutesAt(FIRST);
  const spans: Span[] = [{ from: FIRST, minutes: before }];
  for (let index = FIRST; index < until; ) {
    const next = Math.min(index + 14 * DAY, until);
    if (minutesAt(next) !== before) {
      // Bisect to the second: offsets change on whole seconds.
      let low = index;
      let high = next;
      while (high - low > 1000) {
        const middle = low + Math.floor((high - low) / 2000) * 1000;
        if (minutesAt(middle) === before) low = middle;
        else high = middle;
      }
      before = minutesAt(high);
      spans.push({ from: high, minutes: before });
    }
    index = next;
  }
  return { spans, until };
}

/** `+05:30` */
export function offsetText(minutes: number): string {
  const size = Math.abs(minutes);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
