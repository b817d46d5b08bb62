// @vitest-environment happy-dom
import type { JSX } from 'react';
import { expect, it } from 'vitest';
import { useHotkeyList } from '#renderer/state/hotkeys.ts';
import { mount } from '#tests/support/mount.tsx';
import type { Section } from './rail.tsx';
import { useGlobalKeys } from './use-global-keys.ts';

/** With Ctrl or Alt a letter, a digit or a named key: anything else needs AltGr or a dead key on some keyboard. */
const ANYWHERE = /^(?:(?:Ctrl|Alt)\+(?:Shift\+)?(?:[A-Z0-9]|[A-Z][a-zA-Z]+\d*)|[^+]+|Shift\+\w+)$/;

type Keys = Map<string, readonly string[]>;

function Listed({ into, sections = [] }: { into: Keys; sections?: Section[] }): JSX.Element | null {
  useGlobalKeys(sections);
  const groups = useHotkeyList();
  for (const { text, keys } of [...groups.values()].flat()) into.set(text, keys);
  return null;
}

it('[promise] every key of the window can be typed on every keyboard', async () => {
  const listed = new Map<string, readonly string[]>();
  const { unmount } = await mount(<Listed into={listed} />);
  expect(listed.get('Split view on or off')).toContain('Ctrl+\\');
  for (const [text, keys] of listed)
    expect(
      keys.some((chord) => ANYWHERE.test(chord)),
      `${text}: ${keys.join(', ')}`,
    ).toBe(true);
  await unmount();
});

it('[promise] a section has one key, whether or not there are profiles before it', async () => {
  const listed: Keys = new Map();
  const go = () => undefined;
  const { unmount } = await mount(
    <Listed
      into={listed}
      sections={[
        { screen: 'queries', label: 'Queries', digit: 2, go },
        { screen: 'stack', label: 'Security stack', digit: 4, go },
      ]}
    />,
  );
  expect(listed.get('Security stack')).toEqual(['Alt+4']);
  await unmount();
});
