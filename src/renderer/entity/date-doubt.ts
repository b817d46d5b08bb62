/** Times of a mail that cannot be true. */
import { sentInstant } from '#shared/model/clock.ts';
import { EARLIEST } from '#shared/model/constants.ts';
import { exact } from '#shared/model/format.ts';

const DAY = 86_400_000;
/** Clock differences stay below this. */
const AHEAD = DAY;
/** Delivery can be delayed, but a mail cannot be sent after it was received. */
const AFTER_RECEIPT = 3 * DAY;

/**
 * `time`: Date or Received of the mail, `received`: when it was received, `now`: all in epoch ms. Null if it can be
 * true.
 */
export function dateDoubt(time: number, received: number | null, now: number): string | null {
  if (time < EARLIEST) return 'Implausible: too far in the past';
  if (time > now + AHEAD) return 'Implausible: ahead of this machine’s clock, unless that is wrong';
  const late = received === null ? 0 : time - received;
  return late > AFTER_RECEIPT ? `Implausible: ${exact(Math.floor(late / DAY))} days after receipt` : null;
}

/** Why the received time of a row cannot be true, or null if it can be, or is no time. */
export function receivedDoubt(value: unknown): string | null {
  const time = sentInstant(value);
  return time === null ? null : dateDoubt(time, null, Date.now());
}
