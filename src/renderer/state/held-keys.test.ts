import { describe, expect, it } from 'vitest';
import { mayRepeat } from './held-keys.ts';

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
    '%s types in the field that it began in, and in no other',
    (chord) => {
      expect(mayRepeat(chord, keyOf(chord), field)).toBe(true);
      expect(mayRepeat(chord, keyOf(chord), { ...field, beganHere: false })).toBe(false);
    },
  );

  it('breaks lines in a box of several; it commits no field, and confirms from neither', () => {
    expect(mayRepeat('Enter', 'Enter', box)).toBe(true);
    expect(mayRepeat('Enter', 'Enter', field)).toBe(false);
    for (const chord of ['Ctrl+Enter', 'Ctrl+S', 'Alt+N', 'Ctrl+K']) {
      expect(mayRepeat(chord, keyOf(chord), box)).toBe(false);
      expect(mayRepeat(chord, keyOf(chord), field)).toBe(false);
    }
  });
});
