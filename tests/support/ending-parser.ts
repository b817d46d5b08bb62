/** Starts the service's threads; one that parses mail ends when it meets a word, or, where the word is asked of it, at once. */
import { parentPort, workerData } from 'node:worker_threads';
import { END, NEVER } from './ending-words.ts';

const { role, believed } = workerData as { role?: string; believed?: readonly string[] };
if (role === 'parser' && believed?.includes(NEVER)) process.exit(4);
if (role === 'parser' && parentPort !== null) {
  const port = parentPort;
  const on = port.on.bind(port);
  port.on = ((event: string, listener: (request: { mails?: { raw: Uint8Array }[] }) => void) =>
    on(event, (request: { mails?: { raw: Uint8Array }[] }) => {
      if (request.mails?.some(({ raw }) => Buffer.from(raw).includes(END))) process.exit(3);
      listener(request);
    })) as typeof port.on;
}
await import('../../src/service/worker.ts');
