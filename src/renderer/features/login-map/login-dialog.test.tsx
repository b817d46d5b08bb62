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
  const asked: unknown[] = [];
  const bridge = answering(({ query }: { query: object }) => {
    asked.push(query);
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
  expect(asked).toEqual([
    { module: 'evidence', id: 7, user: 'ann@corp.example', time: '2026-11-18T09:30:00.000Z' },
  ]);
});

it('says why the places of a login are unknown, and nothing about where it is', async () => {
  const failing = {
    ...answering(() => ({})),
    stream: () => Promise.reject(Object.assign(new Error('No longer listed'), { code: 'not-found' })),
  } as unknown as Bridge;
  const text = await shown(failing, { ...ROW, id: 8 });
  expect(text).toContain('No longer listed');
  expect(text).not.toContain('Found in');
});
