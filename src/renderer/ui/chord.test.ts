// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest';
import { chordOf, isAltTyping, isForControl } from './chord.ts';

const press = (key: string, code: string, mods = '', third = false) => ({
  key,
  code,
  ctrlKey: mods.includes('c'),
  metaKey: mods.includes('m'),
  altKey: mods.includes('a'),
  shiftKey: mods.includes('s'),
  getModifierState: (name: string) => name === 'AltGraph' && third,
});

describe('on keyboards without Latin letters, keys count by position', () => {
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

it('a sign on a key that has a letter on Latin keyboards counts as that letter after a letter of another script', () => {
  const semicolon = press(';', 'KeyQ');
  chordOf(press('q', 'KeyQ'));
  expect(chordOf(semicolon)).toBe(';');
  chordOf(press('κ', 'KeyK'));
  expect(chordOf(semicolon)).toBe('Q');
  expect(chordOf(press(':', 'KeyQ', 's'))).toBe('Shift+Q');
  expect(chordOf(press("'", 'KeyW'))).toBe('W');
  expect(chordOf(press('/', 'KeyQ'))).toBe('/');
  expect(chordOf(press(';', 'Semicolon'))).toBe(';');
  chordOf(press('j', 'KeyC'));
  expect(chordOf(semicolon)).toBe(';');
});

describe('AltGr is neither Ctrl nor Alt', () => {
  it.each([
    ['German [', press('[', 'Digit8', 'ca', true), '['],
    ['German @', press('@', 'KeyQ', 'ca', true), '@'],
    ['Polish ń is no Ctrl Alt N, and no N', press('ń', 'KeyN', 'ca', true), 'AltGr+Ń'],
    ['an unassigned letter is none', press('w', 'KeyW', 'ca', true), 'AltGr+W'],
    ['Euro', press('€', 'KeyE', 'ca', true), '€'],
    ['a digit is no section', press('2', 'Digit2', 'a', true), '2'],
  ])('%s', (_, event, chord) => expect(chordOf(event)).toBe(chord));
});

describe('a sign on a digit or punctuation key does not trigger the hotkey of that key', () => {
  it.each([
    ['German § is no 3', press('§', 'Digit3', 's'), '§'],
    ['British £ is no 3', press('£', 'Digit3', 's'), '£'],
    ['Swedish € is no 5', press('€', 'Digit5', '', true), '€'],
    ['German ² is no 2', press('²', 'Digit2', 'ca', true), '²'],
    ['French § is no ?', press('§', 'Slash', 's'), '§'],
    ['French ¤ is no ]', press('¤', 'BracketRight', '', true), '¤'],
    ['a French apostrophe is no N', press('’', 'KeyN'), '’'],
    ['Russian № is no 3', press('№', 'Digit3', 's'), '№'],
    ['an Arabic digit is one', press('٣', 'Digit3'), '3'],
    ['an Arabic question mark is one', press('؟', 'Slash', 's'), '?'],
    ['Russian х with AltGr is no [', press('х', 'BracketLeft', '', true), 'AltGr+Х'],
  ])('%s', (_, event, chord) => expect(chordOf(event)).toBe(chord));
});

describe('on macOS', () => {
  afterEach(() => vi.restoreAllMocks());
  const onMac = () => vi.spyOn(navigator, 'platform', 'get').mockReturnValue('MacIntel');
  const chord = press('@', 'Digit2', 'a');

  it('Option types characters in a field; elsewhere it counts as Alt', () => {
    expect(isAltTyping(chord)).toBe(false);
    onMac();
    for (const event of [
      chord,
      press('Dead', 'KeyN', 'a'),
      press('“', 'BracketLeft', 'a'),
      press('ArrowLeft', 'ArrowLeft', 'a'),
    ])
      expect(isAltTyping(event), event.key).toBe(true);
    for (const event of [
      press('2', 'Digit2'),
      press('k', 'KeyK', 'm'),
      press('F6', 'F6', 'a'),
      press('PageDown', 'PageDown', 'a'),
    ])
      expect(isAltTyping(event), event.key).toBe(false);
    expect(chordOf(chord)).toBe('Alt+2');
  });

  it.each([
    ['AZERTY', press('w', 'KeyZ'), press('‹', 'KeyZ', 'a'), 'Alt+W'],
    ['Dvorak', press('n', 'KeyL'), press('Dead', 'KeyL', 'a'), 'Alt+N'],
    ['Dvorak, on a key of marks', press('w', 'Comma'), press('∑', 'Comma', 'a'), 'Alt+W'],
    ['QWERTY', press('W', 'KeyW', 's'), press('∑', 'KeyW', 'a'), 'Alt+W'],
  ])('Option with a letter is the letter that the key types: %s', (_, plain, withOption, chord) => {
    onMac();
    chordOf(plain);
    expect(chordOf(withOption)).toBe(chord);
  });

  it('chords are the same in Firefox, which reports Option as AltGr', () => {
    const event = { ...chord, getModifierState: (name: string) => name === 'AltGraph' };
    expect(chordOf(event)).toBe('@');
    onMac();
    expect(chordOf(event)).toBe('Alt+2');
  });
});

it('Alt with the number pad types a character by its code', () => {
  expect(isAltTyping(press('2', 'Numpad2', 'a'))).toBe(true);
  // Without Num Lock.
  expect(isAltTyping(press('ArrowDown', 'Numpad2', 'a'))).toBe(true);
  expect(isAltTyping(press('2', 'Digit2', 'a'))).toBe(false);
  expect(isAltTyping(press('Enter', 'NumpadEnter', 'a'))).toBe(false);
});

it('[promise] the focused control handles its own keys first', () => {
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
