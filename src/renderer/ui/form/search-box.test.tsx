// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { mount } from '#tests/support/mount.tsx';
import { SearchBox } from './search-box.tsx';

it('Enter and arrow down move to the results; without results the focus stays', async () => {
  const list = (items: string[]) => (
    <div className="pp-screen" data-front="true">
      <SearchBox className="" label="Search" placeholder="Search" text="mail" onText={() => undefined} />
      {items.map((item) => (
        <button key={item} type="button" data-item={item} />
      ))}
    </div>
  );
  const { container, draw, unmount } = await mount(list([]));
  const box = container.querySelector('input');
  const press = (init: KeyboardEventInit) => {
    box?.focus();
    box?.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init }));
    return document.activeElement?.getAttribute('data-item') ?? document.activeElement?.localName;
  };
  expect(press({ key: 'Enter' })).toBe('input');
  await draw(list(['gmail', 'outlook']));
  expect(press({ key: 'Enter' })).toBe('gmail');
  expect(press({ key: 'ArrowDown' })).toBe('gmail');
  // Ctrl Enter runs the query, and Enter in an input method only ends the word.
  expect(press({ key: 'Enter', ctrlKey: true })).toBe('input');
  expect(press({ key: 'Enter', isComposing: true })).toBe('input');
  await unmount();
});
