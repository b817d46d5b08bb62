// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { CommandButton } from '#renderer/commands/command.tsx';
import { listenForKeys } from '#renderer/state/hotkeys.ts';
import type { ResponseKind } from '#shared/model/responses.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { responseCommand, useResponseKeys } from './response-items.tsx';

test.each([
  ['email', 'restore'],
  ['file', 'quarantine'],
] as const)('the profile of a %s has the same keys; what is refused begins nothing', async (noun, main) => {
  const begun: ResponseKind[] = [];
  const refused: ResponseKind[] = ['report'];
  const response = {
    refusal: (kind: ResponseKind) => (refused.includes(kind) ? 'Not now.' : null),
    start: (kind: ResponseKind) => void begun.push(kind),
    harmful: false,
  };
  function Keys() {
    useResponseKeys(noun, response, main);
    return null;
  }
  const unlisten = listenForKeys();
  const { unmount } = await mount(<Keys />);
  for (const init of [{ key: 'a' }, { key: 'q' }, { key: 'r' }, { key: 'R', shiftKey: true }])
    await doing(() => document.body.dispatchEvent(new KeyboardEvent('keydown', { ...init, bubbles: true })));
  expect(begun).toEqual([main, 'quarantine', 'rescan']);
  await unmount();
  unlisten();
});

test.each([
  [true, 'quarantine', true],
  [false, 'quarantine', false],
  [true, 'rescan', false],
] as const)('[promise] harmful %s: %s is red: %s', async (harmful, kind, red) => {
  const response = { refusal: () => null, start: () => undefined, harmful };
  const { container, unmount } = await mount(<CommandButton command={responseCommand(response, kind)} />);
  expect(container.querySelector('button')?.classList.contains('bp6-intent-danger')).toBe(red);
  await unmount();
});
