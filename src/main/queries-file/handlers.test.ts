import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AppEvent } from '#shared/bridge/operations.ts';
import type { Context } from '../core/context.ts';
import { createQueryFileHandlers } from './handlers.ts';

const file = JSON.stringify({
  kind: 'parapet-queries',
  version: 1,
  queries: [
    { type: 'query', domain: 'email', entityType: 'email', name: 'One', columns: [] },
    { type: 'query', domain: 'email', entityType: 'email', name: 'Two', columns: [] },
  ],
});
const context = { signal: new AbortController().signal };

let folder: string;
let sent: { name: string; text: string }[];
let events: AppEvent[];
let blob: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-queries-'));
  sent = [];
  events = [];
  blob = file;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const handlers = () =>
  createQueryFileHandlers({
    grants: { redeem: () => ({ path: join(folder, 'q.json'), name: 'q.json' }) },
    publish: (event: AppEvent) => void events.push(event),
    upstream: {
      upload: async (_: string, __: string, { name, bytes }: { name: string; bytes: Uint8Array }) => {
        sent.push({ name, text: new TextDecoder().decode(bytes) });
        return { imported: ['One'], error: ['Two'] };
      },
      blob: async () => new TextEncoder().encode(blob),
    },
  } as unknown as Context);

it('sends a checked file as it is and tells which labels failed', async () => {
  writeFileSync(join(folder, 'q.json'), file);
  const answer = await handlers()['queries.import']({ connectionId: 'c', grantId: 'g' }, context);
  expect(sent).toEqual([{ name: 'q.json', text: file }]);
  expect(answer).toMatchObject({ imported: ['One'], failed: [{ label: 'Two' }] });
  expect(events).toEqual([{ type: 'invalidated', connectionId: 'c', tags: ['queries'] }]);
});

it('sends nothing of a file that is wrong', async () => {
  writeFileSync(join(folder, 'q.json'), file.replace('"version":1', '"version":9'));
  await expect(
    handlers()['queries.import']({ connectionId: 'c', grantId: 'g' }, context),
  ).rejects.toMatchObject({ code: 'bad-file' });
  expect(sent).toEqual([]);
});

it('writes what the service answers, once it is a query file', async () => {
  const answer = await handlers()['queries.export']({ connectionId: 'c', ids: ['1'], grantId: 'g' }, context);
  expect(answer).toEqual({ name: 'q.json', count: 2, bytes: file.length });
  expect(readFileSync(join(folder, 'q.json'), 'utf8')).toBe(file);
  rmSync(join(folder, 'q.json'));
  blob = '<html>Sign in</html>';
  await expect(
    handlers()['queries.export']({ connectionId: 'c', ids: ['1'], grantId: 'g' }, context),
  ).rejects.toMatchObject({ code: 'wrong-shape' });
  expect(readdirSync(folder)).toEqual([]);
});
