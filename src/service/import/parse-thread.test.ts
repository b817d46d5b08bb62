import { MessageChannel } from 'node:worker_threads';
import { expect, it } from 'vitest';
import type { PoolReply } from '#workers/worker-pool.ts';
import { runParser } from './parse-thread.ts';

/** The thread's replies to groups of one mail, 1 to `count`, and then to `more`, until it has closed. */
async function repliesTo(count: number, more: (say: (request: object) => void) => void): Promise<string[]> {
  const { port1, port2 } = new MessageChannel();
  const replies: string[] = [];
  const ended = new Promise<void>((resolve) => port1.once('close', () => resolve()));
  port1.on('message', (reply: PoolReply) => {
    replies.push('id' in reply ? `${reply.type} ${reply.id}` : reply.type);
    if (replies.at(-1) === `done ${count}`) port1.postMessage({ type: 'close', id: 0 });
  });
  for (let id = 1; id <= count; id += 1)
    port1.postMessage({
      type: 'parse',
      id,
      mails: [{ raw: new Uint8Array(Buffer.from(`Subject: ${id}\n\nx`)), sha256: `${id}` }],
    });
  more((request) => port1.postMessage(request));
  runParser([], port2);
  await ended;
  return replies;
}

it('skips groups that were cancelled while it was busy', async () => {
  const replies = await repliesTo(40, (say) => {
    for (let id = 2; id < 40; id += 1) say({ type: 'cancel', id });
  });
  expect(replies.filter((reply) => reply.startsWith('done'))).toEqual(['done 1', 'done 40']);
  expect(replies.filter((reply) => reply.startsWith('fail'))).toHaveLength(38);
});

it('stops at once when it is closed', async () => {
  const replies = await repliesTo(40, (say) => say({ type: 'close', id: 41 }));
  expect(replies.filter((reply) => reply.startsWith('done')).length).toBeLessThan(3);
});
