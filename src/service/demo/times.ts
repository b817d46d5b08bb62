/** Arrival times of mail: more in recent weeks, by day and working hour. */
import type { Random } from './prng.ts';

const DAY = 86_400_000;
const SPAN_DAYS = 62;
// Weight of each hour of the day, UTC.
const HOURS = [3, 2, 2, 2, 3, 5, 8, 12, 16, 17, 17, 15, 13, 15, 16, 15, 13, 11, 8, 6, 5, 5, 4, 3];
const HEAVIEST = 17;

/** `count` instants up to the anchor, oldest first. */
export function arrivals(rng: Random, count: number, anchor: number): Float64Array {
  const out = new Float64Array(count);
  for (let i = 0; i < count; i += 1) {
    for (;;) {
      const time = anchor - Math.floor(rng.next() ** 1.7 * SPAN_DAYS * DAY) - 1;
      const hour = Math.floor(time / 3_600_000) % 24;
      const weekday = (Math.floor(time / DAY) + 4) % 7;
      const weight = (HOURS[hour] ?? 1) * (weekday === 0 || weekday === 6 ? 0.35 : 1);
      if (rng.next() * HEAVIEST > weight) continue;
      out[i] = time;
      break;
    }
  }
  return out.sort();
}
