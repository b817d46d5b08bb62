import { describe, expect, it } from 'vitest';
import { chordOf } from './hotkeys.ts';

const press = (key: string, mods = '', code = '') => ({
  key,
  code,
  ctrlKey: mods.includes('c'),
  metaKey: mods.includes('m'),
  altKey: mods.includes('a'),
  shiftKey: mods.includes('s'),
});

describe('chordOf', () => {
  it.each([
    [press('k', 'c'), 'Ctrl+K'],
    [press('k', 'm'), 'Ctrl+K'],
    [press('x'), 'X'],
    [press('X', 's'), 'Shift+X'],
    [press('?', 's'), '?'],
    [press('/'), '/'],
    [press(' '), 'Space'],
    [press('Tab', 'cs'), 'Ctrl+Shift+Tab'],
    [press('¡', 'a', 'Digit1'), 'Alt+1'],
    [press('Escape'), 'Escape'],
    [press('['), '['],
    [press('ж'), 'Ж'],
    [{ ...press('[', 'ca'), getModifierState: (key: string) => key === 'AltGraph' }, '['],
    [{ ...press('[', 'c'), getModifierState: () => false }, 'Ctrl+['],
  ])('%j is %s', (event, chord) => expect(chordOf(event)).toBe(chord));
});
