// @vitest-environment happy-dom
import type { JSX } from 'react';
import { expect, it } from 'vitest';
import { useHotkeyList } from '#renderer/state/hotkeys.ts';
import { mount } from '#tests/support/mount.tsx';
import { useGlobalKeys } from './use-global-keys.ts';

/** With Ctrl or Alt a letter, a digit or a named key: anything else needs AltGr or a dead key on some keyboard. */
const ANYWHERE = /^(?:(?:Ctrl|Alt)\+(?:Shift\+)?(?:[A-Z0-9]|[A-Z][a-zA-Z]+\d*)|[^+]+|Shift\+\w+)$/;

function Listed({ into }: { into: Map<string, readonly string[]> }): JSX.Element | null {
  useGlobalKeys([]);
  const groups = useHotkeyList();
  for (const { text, keys } of [...groups.values()].flat()) into.set(text, keys);
  return null;
}

it('every key of the window can be typed on every keyboard', async () => {
  const listed = new Map<string, readonly string[]>();
  const { unmount } = await mount(<Listed into={listed} />);
  expect(listed.get('Two tabs beside each other, or one again')).toContain('Ctrl+\\');
  for (const [text, keys] of listed)
    expect(
      keys.some((chord) => ANYWHERE.test(chord)),
      `${text}: ${keys.join(', ')}`,
    ).toBe(true);
  await unmount();
});
