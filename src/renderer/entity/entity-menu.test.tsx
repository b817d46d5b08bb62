// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { EntityActionsContext, EntityValue } from '#renderer/ui/entity-value.tsx';
import { tellFrontChange } from '#renderer/ui/front-change.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { EntityMenuHost } from './entity-menu.tsx';

const menu = () => document.querySelector('.pp-portal-menu');

test('[promise] the menu of a value acts on Enter, returns the focus, and closes when another screen comes to the front', async () => {
  const mapped: string[] = [];
  const actions = {
    map: ({ value }: { value: string }) => void mapped.push(value),
    canMap: () => true,
    copy: () => undefined,
    copyDefanged: () => undefined,
  };
  const { container, unmount } = await mount(
    <EntityActionsContext value={actions}>
      <EntityMenuHost>
        <EntityValue entity={{ kind: 'ip', value: '192.0.2.7' }} />
      </EntityMenuHost>
    </EntityActionsContext>,
  );
  const value = container.querySelector('button');
  value?.focus();
  await doing(() => value?.click());
  expect(menu()?.contains(document.activeElement)).toBe(true);
  const press = (key: string) =>
    doing(() => document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })));
  const chosen = [...(menu()?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])].find((item) =>
    item.textContent?.includes('map'),
  );
  chosen?.focus();
  await press('Enter');
  await doing(() => Promise.resolve());
  expect([mapped, menu()]).toEqual([['192.0.2.7'], null]);
  expect(document.activeElement).toBe(value);

  await doing(() => value?.click());
  expect(menu()).not.toBeNull();
  const heard: string[] = [];
  const hear = ({ key }: KeyboardEvent) => void heard.push(key);
  window.addEventListener('keydown', hear);
  const chord = (init: KeyboardEventInit) =>
    doing(() =>
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { ...init, bubbles: true })),
    );
  await chord({ key: 'k' });
  await chord({ key: 'k', ctrlKey: true });
  await chord({ key: '2', altKey: true });
  window.removeEventListener('keydown', hear);
  expect(heard).toEqual(['k', '2']);
  await doing(tellFrontChange);
  expect(menu()).toBeNull();
  await unmount();
});
