/** Takes the locks of given profiles at a given moment, and releases them on command. */
import { type Instance, takeInstance } from '#main/host/instance.ts';

let held: Instance | null = null;

process.on('message', async (message: { profile: string; at: number } | 'release') => {
  if (message === 'release') {
    if (held?.first === true) await held.release();
    held = null;
    process.send?.('released');
    return;
  }
  // To the millisecond, so that the starts of a round collide.
  while (Date.now() < message.at);
  try {
    held = await takeInstance(message.profile, () => `holder ${process.pid}`);
    process.send?.(held);
  } catch (error) {
    process.send?.({ failed: String(error) });
  }
});
process.send?.('ready');
