// @vitest-environment happy-dom
import { describe, expect, it, test } from 'vitest';
import { guardHeldKeys, mayRepeat } from './held-keys.ts';

const outside = { typing: false, multiline: false, beganHere: true };
const field = { typing: true, multiline: false, beganHere: true };
const box = { typing: true, multiline: true, beganHere: true };
const keyOf = (chord: string) => (chord.endsWith('++') ? '+' : (chord.split('+').at(-1) ?? ''));

describe('the repeat of a held key', () => {
  it.each([
    'J',
    'K',
    'ArrowDown',
    'Shift+ArrowDown',
    'Alt+ArrowLeft',
    'PageDown',
    'Home',
    'Tab',
    '+',
    'Ctrl+Z',
    'Ctrl+Shift+Z',
    'Ctrl+Tab',
  ])('%s goes on', (chord) => expect(mayRepeat(chord, keyOf(chord), outside)).toBe(true));

  it.each([
    'Ctrl+Enter',
    'Enter',
    'Space',
    'Escape',
    'Delete',
    'A',
    'R',
    'S',
    'C',
    'X',
    'N',
    'P',
    'F2',
    'Ctrl+S',
    'Ctrl+K',
    'Ctrl+W',
    'Alt+N',
    'Alt+1',
    '/',
    '[',
  ])('%s decides nothing', (chord) => expect(mayRepeat(chord, keyOf(chord), outside)).toBe(false));

  it.each(['A', 'Shift+A', 'Space', 'Backspace', 'Delete', '/', 'Ctrl+V', 'Ctrl+Z', 'Ctrl+Backspace'])(
    '%s types only in the field where the key went down',
    (chord) => {
      expect(mayRepeat(chord, keyOf(chord), field)).toBe(true);
      expect(mayRepeat(chord, keyOf(chord), { ...field, beganHere: false })).toBe(false);
    },
  );

  it('of Enter breaks lines in a multi-line field, but neither submits a field nor confirms', () => {
    expect(mayRepeat('Enter', 'Enter', box)).toBe(true);
    expect(mayRepeat('Enter', 'Enter', field)).toBe(false);
    for (const chord of ['Ctrl+Enter', 'Ctrl+S', 'Alt+N', 'Ctrl+K']) {
      expect(mayRepeat(chord, keyOf(chord), box)).toBe(false);
      expect(mayRepeat(chord, keyOf(chord), field)).toBe(false);
    }
  });
});

test('keys that an input method handles do not reach fields, menus, dialogs or hotkeys', () => {
  const unlisten = guardHeldKeys();
  const field = document.createElement('input');
  document.body.append(field);
  const heard: string[] = [];
  const hear = ({ key }: KeyboardEvent) => void heard.push(key);
  field.addEventListener('keydown', hear);
  window.addEventListener('keydown', hear);
  const press = (key: string, more: KeyboardEventInit) =>
    field.dispatchEvent(new KeyboardEvent('keydown', { key, code: key, bubbles: true, ...more }));
  for (const key of ['Enter', 'Escape', 'Tab', 'ArrowDown']) {
    press(key, { isComposing: true });
    press(key, { keyCode: 229 });
  }
  expect(heard).toEqual([]);
  press('Enter', {});
  expect(heard).toEqual(['Enter', 'Enter']);
  window.removeEventListener('keydown', hear);
  field.remove();
  unlisten();
});
