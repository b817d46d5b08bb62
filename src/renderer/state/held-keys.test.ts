// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
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

describe('keys of an input method', () => {
  const field = document.createElement('input');
  const heard: string[] = [];
  const hear = ({ key, ctrlKey }: KeyboardEvent) => void heard.push(`${ctrlKey ? 'Ctrl+' : ''}${key}`);
  let unlisten: () => void;
  beforeEach(() => {
    unlisten = guardHeldKeys();
    document.body.append(field);
    window.addEventListener('keydown', hear);
    heard.length = 0;
  });
  afterEach(() => {
    window.removeEventListener('keydown', hear);
    field.remove();
    unlisten();
  });
  const press = (key: string, more: KeyboardEventInit = {}) =>
    field.dispatchEvent(
      new KeyboardEvent('keydown', { key, code: key, bubbles: true, cancelable: true, ...more }),
    );
  const end = () => field.dispatchEvent(new CompositionEvent('compositionend', { bubbles: true }));

  it.each(['Enter', 'Escape', 'Tab', 'ArrowDown', 'PageDown', 'Home', 'Backspace', 'Delete', '1', ' ', 'j'])(
    '%s reaches nothing during a composition, nor as the key that ended it',
    (key) => {
      press(key, { isComposing: true });
      press(key, { isComposing: true, keyCode: 229 });
      end();
      press(key, { keyCode: 229 });
      expect(heard).toEqual([]);
      press(key);
      expect(heard).toEqual([key]);
    },
  );

  it('[promise] that may begin a composition reach nothing', () => {
    press('Process', { code: 'KeyJ', keyCode: 229 });
    press('j', { code: 'KeyJ', keyCode: 229 });
    press('Unidentified', { code: '', keyCode: 229 });
    expect(heard).toEqual([]);
  });

  it('[promise] mean what they are while nothing is being composed, whatever Windows names them', () => {
    press('Process', { code: 'Escape', keyCode: 229 });
    press('Process', { code: 'NumpadEnter', keyCode: 229, ctrlKey: true });
    press('Process', { code: 'KeyK', keyCode: 229, ctrlKey: true });
    press('Enter', { keyCode: 229 });
    end();
    field.dispatchEvent(new KeyboardEvent('keyup', { key: 'Enter', code: 'Enter', bubbles: true }));
    press('Process', { code: 'Escape', keyCode: 229 });
    expect(heard).toEqual(['Escape', 'Ctrl+Enter', 'Ctrl+k', 'Enter', 'Escape']);
  });
});

test('[promise] Enter without a code, as from an on-screen keyboard, presses a button', () => {
  const unlisten = guardHeldKeys();
  const button = document.createElement('button');
  document.body.append(button);
  const heard: string[] = [];
  for (const type of ['keydown', 'keyup']) button.addEventListener(type, () => heard.push(type));
  const send = (type: string, more: KeyboardEventInit) => {
    const event = new KeyboardEvent(type, { key: 'Enter', bubbles: true, cancelable: true, ...more });
    Object.defineProperty(event, 'isTrusted', { value: true });
    button.dispatchEvent(event);
  };
  for (const code of ['', 'Enter']) {
    send('keydown', { code });
    send('keyup', { code });
  }
  expect(heard).toEqual(['keydown', 'keyup', 'keydown', 'keyup']);
  // The key went down elsewhere.
  send('keyup', { code: '' });
  expect(heard).toHaveLength(4);
  button.remove();
  unlisten();
});
