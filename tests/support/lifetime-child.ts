/** A host process without a host that throws uncaught errors on command. */
import { runUntilStopped } from '#main/host/lifetime.ts';

void runUntilStopped(async (requestStop) => {
  process.on('message', (asked) => {
    if (asked === 'throw')
      setImmediate(() => {
        throw new Error('thrown \u001b[2Jin nobody’s arms');
      });
    if (asked === 'reject') void Promise.reject(new Error('rejected in nobody’s arms'));
    if (asked === 'reject with nothing') void Promise.reject(undefined);
    if (asked === 'emit') setImmediate(() => process.stdin.emit('error', new Error('emitted to nobody')));
    if (asked === 'close output') {
      process.stdout.destroy();
      process.stderr.destroy();
      process.stdout.emit('error', new Error('EPIPE'));
    }
    if (asked === 'stop') requestStop();
    setImmediate(() => setImmediate(() => process.send?.({ alive: asked })));
  });
  process.send?.('started');
  return {
    fault: (reason) => void process.send?.({ fault: reason }),
    async stop() {
      process.send?.('stopped');
    },
  };
});
