// @vitest-environment happy-dom
import { Menu, MenuItem } from '@blueprintjs/core';
import { expect, test } from 'vitest';
import { doing, mount } from '#tests/support/mount.tsx';
import { soon } from '#tests/support/soon.ts';
import { tellFrontChange } from '../front-change.ts';
import { keepKeysFor, MenuPopover } from './menu-popover.tsx';

const menu = () => document.querySelector('.pp-menu-box');

test('[promise] a menu focuses its first item, returns the focus, and closes when another screen comes to the front', async () => {
  const { container, unmount } = await mount(
    <MenuPopover
      content={
        <Menu>
          <MenuItem text="Quarantine…" />
          <MenuItem text="Delete…" />
        </Menu>
      }
    >
      <button type="button">Act</button>
    </MenuPopover>,
  );
  const button = container.querySelector('button');
  button?.focus();
  await doing(() => button?.click());
  await soon(() => expect(document.activeElement?.textContent).toBe('Quarantine…'));
  await doing(() =>
    document.activeElement?.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true, cancelable: true }),
    ),
  );
  expect(document.activeElement?.textContent).toBe('Delete…');

  await doing(tellFrontChange);
  await soon(() => expect(menu()).toBeNull());
  expect(document.activeElement).toBe(button);
  await unmount();
});

test('keys pressed before a menu has the focus are for the menu, not for the focused element behind it', () => {
  const drawn = (html: string) => {
    const box = document.createElement('div');
    box.innerHTML = html;
    document.body.append(box);
    return box;
  };
  const behind = drawn('<button>Row</button>');
  const root = drawn('<div role="menuitem" tabindex="-1">Quarantine…</div>');
  const texts: string[] = [];
  for (const [name, box] of Object.entries({ behind, root }))
    box.addEventListener('keydown', ({ key }) => texts.push(`${name} ${key}`));
  const press = (key: string) =>
    document.activeElement?.dispatchEvent(
      new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
    );
  behind.querySelector('button')?.focus();
  const keys = keepKeysFor(() => root);
  press('ArrowDown');
  press('Enter');
  expect(texts).toEqual([]);
  root.querySelector<HTMLElement>('[role="menuitem"]')?.focus();
  keys.deliver();
  expect(texts).toEqual(['root ArrowDown', 'root Enter']);
  press('x');
  expect(texts.at(-1)).toBe('root x');

  // Closed before it had the focus.
  behind.querySelector('button')?.focus();
  const others = keepKeysFor(() => null);
  press('Enter');
  others.stop();
  press('y');
  expect(texts.slice(3)).toEqual(['behind y']);
  behind.remove();
  root.remove();
});
