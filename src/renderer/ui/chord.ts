/** Names key events for hotkeys, independent of the keyboard layout. */
import { dictionary } from '#shared/dictionary.ts';

/** The Latin character of a key by position, used when the layout types a character of another script. */
const PLACES: Readonly<Record<string, readonly [plain: string, shifted: string]>> = dictionary({
  BracketLeft: ['[', '{'],
  BracketRight: [']', '}'],
  Slash: ['/', '?'],
  Minus: ['-', '_'],
  Equal: ['=', '+'],
  Comma: [',', '<'],
  Period: ['.', '>'],
  Semicolon: [';', ':'],
  Quote: ["'", '"'],
  Backslash: ['\\', '|'],
  Backquote: ['`', '~'],
});

type Pressed = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'> &
  Partial<Pick<KeyboardEvent, 'getModifierState'>>;

/** Keys that type nothing, such as "Enter" or "F6". Two-character values that some layouts type are not names. */
const NAME = /^[A-Z][A-Za-z]+\d*$|^F\d+$/;

/**
 * A letter, digit or sign of a script that is not Latin. Signs of no script (£, §, €, ²) are excluded, because they share
 * keys with digits on Latin keyboards.
 */
const OTHER_SCRIPT = /^[^\p{scx=Latin}\p{scx=Common}\p{scx=Inherited}]/u;

/** Signs that keyboards of other scripts have where Latin ones have a letter: ; on Q in Greek, ' on W in Hebrew. */
const SIGN_ON_LETTER = /^[;:'",.<>]$/;
/** Whether the last letter came from a keyboard of another script; a sign alone could also come from Dvorak. */
let isOtherKeyboard = false;

function isMeantByPlace(key: string, code: string): boolean {
  if (OTHER_SCRIPT.test(key)) isOtherKeyboard = true;
  else if (/^[a-z]$/i.test(key)) isOtherKeyboard = false;
  return OTHER_SCRIPT.test(key) || (isOtherKeyboard && code.startsWith('Key') && SIGN_ON_LETTER.test(key));
}

function atPlace(code: string, shifted: boolean): string | undefined {
  const letter = /^(?:Key([A-Z])|Digit(\d))$/.exec(code);
  return letter?.[1] ?? letter?.[2] ?? PLACES[code]?.[shifted ? 1 : 0];
}

/** The letters that keys have typed, which on AZERTY and Dvorak differ from those at the same position on QWERTY. */
const lettersTyped = new Map<string, string>();

function withoutAlt(key: string, code: string): string | undefined {
  if (/^Digit\d$/.test(code)) return atPlace(code, false);
  if (/^[a-z]$/i.test(key)) return undefined;
  const typed = isMac() ? lettersTyped.get(code) : undefined;
  return typed ?? (/^Key[A-Z]$/.test(code) ? atPlace(code, false) : undefined);
}

function keyOf({ key, code, altKey, shiftKey }: Pressed, third: boolean): string {
  if (key === ' ') return 'Space';
  // Alt changes what digits type on some layouts, and on macOS letters type signs or are dead keys.
  const meant = altKey && !third ? withoutAlt(key, code) : undefined;
  if (meant !== undefined) return meant;
  if (NAME.test(key)) return key;
  const placed = !third && isMeantByPlace(key, code) ? atPlace(code, shiftKey) : undefined;
  return placed ?? (key.length === 1 ? key.toUpperCase() : key);
}

/** Read each time, as tests change it. */
const isMac = () => navigator.platform.startsWith('Mac');

/** AltGr. Firefox on macOS reports Option as AltGr as well; there, keyboards have no other Alt. */
const isThirdLevel = (event: Pressed): boolean =>
  event.getModifierState?.('AltGraph') === true && !(event.altKey && isMac());

/**
 * A key event as a chord. Shift is included for letters and named keys only: "?" is "?" on every layout. AltGr counts
 * neither as Ctrl nor as Alt: it types a key's third character, and with a letter it is not a chord.
 */
export function chordOf(event: Pressed): string {
  const third = isThirdLevel(event);
  if (/^[a-z]$/i.test(event.key) && !event.altKey && !event.ctrlKey && !event.metaKey)
    lettersTyped.set(event.code, event.key.toUpperCase());
  const key = keyOf(event, third);
  const isLetter = /^\p{L}$/u.test(key);
  const named = key.length > 1 || isLetter;
  const parts = [
    ...((event.ctrlKey || event.metaKey) && !third ? ['Ctrl'] : []),
    ...(event.altKey && !third ? ['Alt'] : []),
    ...(third && isLetter ? ['AltGr'] : []),
    ...(event.shiftKey && named ? ['Shift'] : []),
    key,
  ];
  return parts.join('+');
}

const EDITED_BY_OPTION = /^(?:Dead|Arrow(?:Left|Right|Up|Down)|Backspace|Delete)$/;

/**
 * Whether a text field needs the key although Alt is held: Option types characters on macOS (@ is Option 2 in Spain and
 * Sweden, # is Option 3 in Britain) and moves by words; on Windows, Alt and the number pad type a character by its code.
 */
export function isAltTyping(event: Pressed): boolean {
  const { key, code, altKey, ctrlKey, metaKey } = event;
  if (!altKey || ctrlKey || metaKey) return false;
  return /^Numpad\d$/.test(code) || (isMac() && (/^.$/u.test(key) || EDITED_BY_OPTION.test(key)));
}

/** The same key pressed again, for a listener that did not get the event itself. `key` is another name for it. */
export const pressedAgain = (event: KeyboardEvent, key = event.key): KeyboardEvent =>
  new KeyboardEvent(event.type, {
    key,
    code: event.code,
    location: event.location,
    ctrlKey: event.ctrlKey,
    metaKey: event.metaKey,
    altKey: event.altKey,
    shiftKey: event.shiftKey,
    repeat: event.repeat,
    isComposing: event.isComposing,
    modifierAltGraph: event.getModifierState('AltGraph'),
    bubbles: true,
    cancelable: true,
  });

const TYPING = 'input, textarea, select, [contenteditable="true"], [role="textbox"]';
const NOT_TYPING = new Set(['checkbox', 'radio', 'button', 'range']);

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement) || !target.closest(TYPING)) return false;
  return !(target instanceof HTMLInputElement && NOT_TYPING.has(target.type));
}

const PRESSED =
  'button, a, summary, input:is([type="checkbox"], [type="radio"], [type="button"]), [role="menuitem"], [role="option"], [role="switch"], [role="checkbox"], [role="tab"]';

/** Whether the focused element handles this key itself, which takes precedence over hotkeys. */
export function isForControl(chord: string, target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (chord === 'Enter' || chord === 'Space') return target.closest(PRESSED) !== null;
  // Single keys navigate in an open menu.
  return !/^(?:Ctrl|Alt)\+/.test(chord) && target.closest('[role="menu"]') !== null;
}
