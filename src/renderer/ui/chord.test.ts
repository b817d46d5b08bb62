// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest';
import { chordOf, isForControl } from './chord.ts';

const press = (key: string, code: string, mods = '', third = false) => ({
  key,
  code,
  ctrlKey: mods.includes('c'),
  metaKey: mods.includes('m'),
  altKey: mods.includes('a'),
  shiftKey: mods.includes('s'),
  getModifierState: (name: string) => name === 'AltGraph' && third,
});

describe('keys of keyboards that type no Latin letters are meant by their place', () => {
  it.each([
    ['Cyrillic', press('о', 'KeyJ'), 'J'],
    ['Cyrillic', press('л', 'KeyK', 'c'), 'Ctrl+K'],
    ['Cyrillic', press('Ч', 'KeyX', 's'), 'Shift+X'],
    ['Cyrillic', press('х', 'BracketLeft'), '['],
    ['Cyrillic', press('т', 'KeyN', 'a'), 'Alt+N'],
    ['Greek', press('ξ', 'KeyJ'), 'J'],
    ['Hebrew', press('ח', 'KeyJ'), 'J'],
    ['Arabic', press('ت', 'KeyJ'), 'J'],
    ['Arabic, two characters by one key', press('لا', 'KeyB'), 'B'],
    ['Thai, a vowel sign', press('่', 'KeyJ'), 'J'],
    ['Latin stays what it types', press('q', 'KeyA'), 'Q'],
    ['Latin with a mark', press('ö', 'Semicolon'), 'Ö'],
    ['a dead key of macOS', press('Dead', 'KeyN', 'a'), 'Alt+N'],
  ])('%s: %j is %s', (_, event, chord) => expect(chordOf(event)).toBe(chord));
});

describe('AltGr is neither Ctrl nor Alt', () => {
  it.each([
    ['German [', press('[', 'Digit8', 'ca', true), '['],
    ['German @', press('@', 'KeyQ', 'ca', true), '@'],
    ['Polish ń is no Ctrl Alt N, and no N', press('ń', 'KeyN', 'ca', true), 'AltGr+Ń'],
    ['an unassigned letter is none', press('w', 'KeyW', 'ca', true), 'AltGr+W'],
    ['Euro', press('€', 'KeyE', 'ca', true), 'AltGr+E'],
    ['a digit is no section', press('2', 'Digit2', 'a', true), '2'],
  ])('%s', (_, event, chord) => expect(chordOf(event)).toBe(chord));
});

it('what has the focus takes its own keys', () => {
  const put = (html: string) => {
    document.body.innerHTML = html;
    return document.body.firstElementChild;
  };
  for (const html of [
    '<input type="checkbox">',
    '<input type="radio">',
    '<button></button>',
    '<b role="tab"></b>',
  ])
    for (const chord of ['Space', 'Enter']) expect(isForControl(chord, put(html)), html).toBe(true);
  expect(isForControl('J', put('<ul role="menu"></ul>'))).toBe(true);
  expect(isForControl('Ctrl+Tab', put('<ul role="menu"></ul>'))).toBe(false);
  expect(isForControl('J', put('<input type="checkbox">'))).toBe(false);
  expect(isForControl('Space', put('<div tabindex="0"></div>'))).toBe(false);
});
