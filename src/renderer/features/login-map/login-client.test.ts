import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LoginClient } from './login-client.ts';

class FakeWorker extends EventTarget {
  static last: FakeWorker;
  asked: { id: number }[] = [];
  terminated = false;
  constructor() {
    super();
    FakeWorker.last = this;
  }
  postMessage(question: { id: number; input: unknown }): void {
    structuredClone(question);
    this.asked.push(question);
  }
  terminate(): void {
    this.terminated = true;
  }
}
beforeEach(() => vi.stubGlobal('Worker', FakeWorker));
afterEach(() => vi.unstubAllGlobals());

const ask = (client: LoginClient, input: object = {}) => client.ask('tables' as never, input as never);
const failed = (type: string, data: object = {}) =>
  FakeWorker.last.dispatchEvent(Object.assign(new Event(type), data));

it.each([
  ['error', { message: 'out of memory' }, 'out of memory'],
  ['error', {}, 'could not be started'],
  ['messageerror', {}, 'could not be read'],
])('a worker that ends by %s rejects what was asked and what is asked later', async (type, data, why) => {
  const client = new LoginClient();
  const [first, second] = [ask(client), ask(client)];
  failed(type, data);
  await expect(first).rejects.toThrow(why);
  await expect(second).rejects.toThrow(why);
  await expect(ask(client)).rejects.toThrow(why);
  expect(FakeWorker.last.terminated).toBe(true);
});

it('a request that cannot be sent rejects, and its id is not answered later', async () => {
  const client = new LoginClient();
  await expect(ask(client, { no: () => undefined })).rejects.toThrow();
  const next = ask(client);
  const id = FakeWorker.last.asked.at(-1)?.id ?? 0;
  for (const number of [id - 1, id])
    FakeWorker.last.dispatchEvent(new MessageEvent('message', { data: { id: number, value: 'answered' } }));
  await expect(next).resolves.toBe('answered');
});
