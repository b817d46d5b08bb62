import type { MenuItemConstructorOptions } from 'electron';
import { expect, test, vi } from 'vitest';
import { menuTemplate } from './menu.ts';

const flatten = (items: MenuItemConstructorOptions[]): MenuItemConstructorOptions[] =>
  items.flatMap((item) => [item, ...(Array.isArray(item.submenu) ? flatten(item.submenu) : [])]);

test.each([true, false])('every item does something (macOS: %s)', (mac) => {
  const command = vi.fn();
  const items = flatten(menuTemplate(command, { mac, developer: false }));
  for (const item of items)
    expect(Boolean(item.role || item.click || item.submenu || item.type === 'separator')).toBe(true);
  for (const item of items) (item.click as (() => void) | undefined)?.();
  expect(command.mock.calls.flat().sort()).toEqual([
    'close-tab',
    'guide',
    'keys',
    'new-query',
    'palette',
    'print',
    'settings',
  ]);
});

test('developer tools and reload are for developers', () => {
  const roles = (developer: boolean) =>
    flatten(menuTemplate(() => {}, { mac: false, developer })).map(({ role }) => role);
  expect(roles(false)).not.toContain('toggleDevTools');
  expect(roles(false)).not.toContain('reload');
  expect(roles(true)).toContain('toggleDevTools');
});
