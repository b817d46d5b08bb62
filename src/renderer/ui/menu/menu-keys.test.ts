// @vitest-environment happy-dom
import { afterAll, beforeEach, expect, it } from 'vitest';
import { focusFirstItem, followPointer, menuKey } from './menu-keys.ts';

let pressed: string[] = [];
let root: HTMLElement;
beforeEach(() => {
  pressed = [];
  document.body.innerHTML =
    '<div id="root"><ul role="menu">' +
    ['Filter for', 'Copy', 'Copy defanged', 'Release']
      .map(
        (text, index) =>
          `<li><a role="menuitem" tabindex="0"${index === 3 ? ' aria-disabled="true"' : ''}>${text}</a></li>`,
      )
      .join('') +
    '</ul></div>';
  root = document.getElementById('root') as HTMLElement;
  for (const item of root.querySelectorAll('a'))
    item.addEventListener('click', () => pressed.push(item.textContent));
  focusFirstItem(root);
});
afterAll(() => document.body.replaceChildren());
const focused = () => document.activeElement?.textContent;
const press = (key: string, shiftKey = false) => {
  const event = new KeyboardEvent('keydown', { key, shiftKey, bubbles: true });
  let isHandled = false;
  root.addEventListener('keydown', (pressedKey) => (isHandled = menuKey(root, pressedKey)), { once: true });
  document.activeElement?.dispatchEvent(event);
  return isHandled;
};

it('[promise] arrows wrap around and skip disabled items', () => {
  expect(focused()).toBe('Filter for');
  press('ArrowDown');
  expect(focused()).toBe('Copy');
  press('ArrowUp');
  press('ArrowUp');
  expect(focused()).toBe('Copy defanged');
  press('ArrowDown');
  expect(focused()).toBe('Filter for');
  press('End');
  expect(focused()).toBe('Copy defanged');
});

it('a letter moves to the next item that begins with it', () => {
  press('c');
  expect(focused()).toBe('Copy');
  press('c');
  expect(focused()).toBe('Copy defanged');
});

it('Enter and Space press the item', () => {
  press('Enter');
  press('ArrowDown');
  press(' ');
  expect(pressed).toEqual(['Filter for', 'Copy']);
});

it('a key that an item shows presses it, before letters navigate', () => {
  const [filter, copy, defanged] = root.querySelectorAll('a');
  filter?.insertAdjacentHTML('beforeend', '<kbd aria-label="1"></kbd>');
  copy?.insertAdjacentHTML('beforeend', '<kbd aria-label="F"></kbd>');
  defanged?.insertAdjacentHTML('beforeend', '<kbd aria-label="Shift F"></kbd>');
  expect(press('f')).toBe(true);
  expect(press('1')).toBe(true);
  press('F', true);
  expect(pressed).toEqual(['Copy', 'Filter for', 'Copy defanged']);
  press('c');
  expect(focused()).toBe('Copy');
});

it('a key shown by a disabled item does nothing but navigate', () => {
  root.querySelectorAll('a')[3]?.insertAdjacentHTML('beforeend', '<kbd aria-label="C"></kbd>');
  press('c');
  expect(pressed).toEqual([]);
  expect(focused()).toBe('Copy');
});

it('other keys are not handled', () => {
  expect(press('Tab')).toBe(false);
  expect(press('Escape')).toBe(false);
});

it('a moving pointer takes the focus to its item; a resting one, and a disabled item, do not', () => {
  const items = root.querySelectorAll('a');
  root.addEventListener('mousemove', followPointer);
  const over = (index: number, movementX: number) =>
    items[index]?.dispatchEvent(new MouseEvent('mousemove', { movementX, bubbles: true }));
  over(1, 0);
  expect(focused()).toBe('Filter for');
  over(2, 3);
  expect(focused()).toBe('Copy defanged');
  over(3, 3);
  expect(focused()).toBe('Copy defanged');
});
