/** Starts the service's threads; a parsing thread exits at a certain word in a mail, or at once if its settings say so. */
import { parentPort, workerData } from 'node:worker_threads';
import { END, NEVER } from './ending-words.ts';
import { THREADS } from './threads.ts';

interface Message {
  id: number;
  type: string;
  mails?: { raw: Uint8Array }[];
}

const { role, believed } = workerData as { role?: string; believed?: readonly string[] };
if (role === 'parser' && believed?.includes(NEVER)) process.exit(4);
if (role === 'parser' && parentPort !== null) {
  const port = parentPort;
  const on = port.on.bind(port);
  const post = port.postMessage.bind(port);
  /** Unanswered groups of mails; true: it has the word. Only the group being worked on ends the thread, not waiting ones. */
  const waiting = new Map<number, boolean>();
  const endAtWord = () => {
    const [first] = waiting.values();
    if (first) process.exit(3);
  };
  port.on = ((event: string, listener: (message: Message) => void) =>
    on(event, (message: Message) => {
      if (message.mails !== undefined)
        waiting.set(
          message.id,
          message.mails.some(({ raw }) => Buffer.from(raw).includes(END)),
        );
      endAtWord();
      listener(message);
    })) as typeof port.on;
  port.postMessage = (message: Message, moved: []) => {
    post(message, moved);
    waiting.delete(message.id);
    endAtWord();
  };
}
await import(THREADS.embedded.href);
