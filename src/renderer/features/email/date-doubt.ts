/** Why a time that a mail gives cannot be true. */
import { EARLIEST } from '#shared/model/constants.ts';
import { exact } from '#shared/model/format.ts';

const DAY = 86_400_000;
/** Clocks differ; by this much they do not. */
const AHEAD = DAY;
/** A mail can wait before it is taken; it cannot be sent after. */
const AFTER_RECEIPT = 3 * DAY;

/** `time`: Date or Received of the mail, `received`: when it was received, `now`: all in epoch ms. null: it can be true. */
export function dateDoubt(time: number, received: number | null, now: number): string | null {
  if (time < EARLIEST) return 'Implausible: long before this mail can have been sent';
  if (time > now + AHEAD) return 'Implausible: it lies ahead of this machine’s clock';
  const late = received === null ? 0 : time - received;
  return late > AFTER_RECEIPT
    ? `Implausible: ${exact(Math.floor(late / DAY))} days after it was received`
    : null;
}
