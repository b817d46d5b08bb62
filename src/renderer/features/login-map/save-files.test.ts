import { expect, it, test } from 'vitest';
import type { Bridge } from '#shared/bridge/bridge.ts';
import { fakeBridge } from '#tests/support/reads.ts';
import type { LoginClient } from './login-client.ts';
import { saveRows } from './save-files.ts';
import { hoursBetween } from './week-panel.tsx';

const RECORD = [
  '2026-11-17T09:00:00Z',
  '=ada',
  '192.0.2.1',
  'GB',
  '',
  51.5,
  -0.12,
  40,
  'unknown',
  'office365_emails',
  1,
];

/** A bridge that records what is written, and a worker with `rows` records. */
function parts(rows: number) {
  const calls: string[] = [];
  let text = '';
  let missing: string | null | undefined;
  const bridge = fakeBridge({
    call: async (name: string, input: { chunk?: { text: string }; missing?: string | null }) => {
      calls.push(name);
      if (name === 'files.open') missing = input.missing;
      if (name === 'files.append') text += input.chunk?.text ?? '';
      if (name === 'dialogs.save') return { grantId: 'g' };
      return name === 'files.open' ? { fileId: 'f' } : { name: 'x', bytes: 1, sha256: '' };
    },
  });
  const client = {
    ask: async (_: string, { start, end }: { start: number; end: number }) =>
      Array.from({ length: Math.max(0, Math.min(rows, end) - start) }, () => RECORD),
  } as unknown as LoginClient;
  return { bridge, client, calls, text: () => text, missing: () => missing };
}
const nameOf = (module: string) => (module === 'office365_emails' ? 'Microsoft 365 Mail' : module);

it.each(['csv', 'ndjson'] as const)('%s has every row, the app by its name', async (format) => {
  const { bridge, client, text } = parts(7_000);
  await saveRows(bridge, client, { name: 'n', format, count: 7_000, clock: 'utc', nameOf, missing: null });
  const lines = text().trimEnd().split('\n');
  expect(lines).toHaveLength(format === 'csv' ? 7_001 : 7_000);
  expect(lines[1]).toContain('Microsoft 365 Mail');
  expect(text()).not.toContain('office365_emails');
  if (format === 'csv') expect(lines[1]).not.toMatch(/,=ada/);
});

it('a file has the rows from when the export started, even if they change while its name is chosen', async () => {
  const { bridge, text } = parts(0);
  let user = 'before';
  const slow = fakeBridge({
    call: (...args: Parameters<Bridge['call']>) => {
      if (args[0] === 'dialogs.save') user = 'after';
      return bridge.call(...args);
    },
  });
  const client = { ask: async () => [[null, user]] } as unknown as LoginClient;
  await saveRows(slow, client, { name: 'n', format: 'csv', count: 1, clock: 'utc', nameOf, missing: null });
  expect(text()).toContain('before');
});

it('an export that receives too many rows leaves no file', async () => {
  const { bridge, client, calls } = parts(7);
  await expect(
    saveRows(bridge, client, { name: 'n', format: 'csv', count: 6, clock: 'utc', nameOf, missing: null }),
  ).rejects.toThrow('7 of 6 rows');
  expect(calls.at(-1)).toBe('files.discard');
});

it('a file with incomplete rows says why', async () => {
  const { bridge, client, missing } = parts(5);
  const why = 'Mail (failed) could not be read.';
  await saveRows(bridge, client, { name: 'n', format: 'csv', count: 5, clock: 'utc', nameOf, missing: why });
  expect(missing()).toBe(why);
});

it('an export that lacks rows leaves no file', async () => {
  const { bridge, client, calls } = parts(5);
  await expect(
    saveRows(bridge, client, { name: 'n', format: 'csv', count: 6, clock: 'utc', nameOf, missing: null }),
  ).rejects.toThrow('5 of 6 rows');
  expect(calls.at(-1)).toBe('files.discard');
  expect(calls).not.toContain('files.finish');
});

test('two cells of the week select the rectangle between them, in any direction', () => {
  expect(hoursBetween(1 * 24 + 9, 2 * 24 + 10)).toEqual([33, 34, 57, 58]);
  expect(hoursBetween(2 * 24 + 9, 1 * 24 + 10)).toEqual([33, 34, 57, 58]);
  expect(hoursBetween(5, 5)).toEqual([5]);
});
