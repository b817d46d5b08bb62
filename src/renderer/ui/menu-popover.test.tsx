// @vitest-environment happy-dom
import { Menu, MenuItem } from '@blueprintjs/core';
import { expect, test } from 'vitest';
import { doing, mount } from '#tests/support/mount.tsx';
import { soon } from '#tests/support/soon.ts';
import { tellFrontChange } from './front-change.ts';
import { MenuPopover } from './menu-popover.tsx';

const menu = () => document.querySelector('.pp-menu-box');

test('a menu focuses its first item, returns the focus, and closes when another screen comes to the front', async () => {
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
