// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest';
import { setActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import type { Bridge } from '#shared/bridge/bridge.ts';
import { mount } from '#tests/support/mount.tsx';
import { answering } from '#tests/support/reads.ts';
import type { LoginRow } from './engine.ts';
import { LoginDialog } from './login-dialog.tsx';

let leave = async () => {};
afterEach(async () => {
  await leave();
  setActiveConnectionId(null);
});

const ROW: LoginRow = {
  row: 0,
  id: 7,
  user: 'ann@corp.example',
  ip: '192.0.2.7',
  country: 'DE',
  city: 'Hamburg',
  lat: 53.55,
  lon: 9.99,
  time: Date.UTC(2026, 10, 18, 9, 30),
  logins: 1,
  seen: 1,
  rarity: 0,
  isProvisional: false,
  failed: null,
  module: 'evidence',
};

async function shown(bridge: Bridge, row: LoginRow): Promise<string> {
  setActiveConnectionId('c');
  const { unmount } = await mount(
    <BridgeProvider bridge={bridge}>
      <LoginDialog row={row} onClose={() => undefined} />
    </BridgeProvider>,
  );
  leave = unmount;
  return document.querySelector('.pp-dialog')?.textContent?.replaceAll('\u00a0', ' ') ?? '';
}

it('names the places of a login in logs, and counts the others', async () => {
  const inputs: unknown[] = [];
  const bridge = answering(({ query }: { query: object }) => {
    inputs.push(query);
    return {
      places: [
        { file: 'a\u202e.json', line: 1_234, entry: 12, absent: null },
        { file: 'b.csv', line: 3, entry: null, absent: 'gone' },
      ],
      total: 4,
    };
  });
  const text = await shown(bridge, ROW);
  expect(text).toContain('.json entry 12, line 1,234b.csv line 3 No longer thereand 2 more');
  expect(text).toContain('OutcomeUnknown');
  expect(text).not.toContain('\u202e');
  expect(inputs).toEqual([
    { module: 'evidence', id: 7, user: 'ann@corp.example', time: '2026-11-18T09:30:00.000Z' },
  ]);
});

const PLACES = { places: [{ file: 'b.csv', line: 3, entry: null, absent: null }], total: 1 };
const failing = (code: string, data: object | undefined) =>
  ({
    ...answering(() => ({})),
    stream: async (_: string, __: unknown, onSnapshot: (snapshot: object) => void) => {
      const freshness = { source: 'cache', fetchedAt: 1, offline: false };
      if (data)
        onSnapshot({
          data,
          freshness,
          error: { code, message: 'Why', retryable: true },
          revalidating: false,
        });
      else throw Object.assign(new Error('Why'), { code });
    },
  }) as unknown as Bridge;

it('says why the places of a login are unknown or older', async () => {
  const unread = await shown(failing('unavailable', undefined), { ...ROW, id: 8 });
  expect(unread).toContain('Why');
  expect(unread).not.toContain('Found in');
  await leave();
  const older = await shown(failing('unavailable', PLACES), { ...ROW, id: 9 });
  expect(older).toContain('Why Showing older places.');
  expect(older).toContain('b.csv line 3');
});

it('names no place of a reading that is gone', async () => {
  const text = await shown(failing('not-found', PLACES), { ...ROW, id: 10 });
  expect(text).toContain('Found inUnknown: its log was read again.');
  expect(text).not.toContain('b.csv');
});
