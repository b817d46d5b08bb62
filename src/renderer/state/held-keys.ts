/**
 * The rule for held keys and input methods. Key repeats may move and type;
 * they never confirm, act, delete, save, open or close, and a key pressed in one place neither types into another nor
 * activates a control there.
 */
import { chordOf, isTyping, pressedAgain } from '#renderer/ui/chord.ts';

/** Chords that may repeat regardless of focus; arrows and page keys may repeat with any modifier. */
const MAY_REPEAT: ReadonlySet<string> = new Set([
  'J',
  'K',
  '+',
  '-',
  '=',
  'Ctrl++',
  'Ctrl+-',
  'Ctrl+=',
  'Ctrl+Z',
  'Ctrl+Shift+Z',
  'Ctrl+Y',
]);
const MOVES = /^(?:Arrow(?:Up|Down|Left|Right)|Page(?:Up|Down)|Home|End|Tab)$/;
const MODIFIER = /^(?:Control|Shift|Alt|AltGraph|Meta|CapsLock)$/;
/** With Ctrl these edit text; other chords are commands. */
const EDITS: ReadonlySet<string> = new Set([
  'Ctrl+Z',
  'Ctrl+Shift+Z',
  'Ctrl+Y',
  'Ctrl+V',
  'Ctrl+Backspace',
  'Ctrl+Delete',
]);

/** The text field a held key types into, if any. */
interface HeldIn {
  typing: boolean;
  /** The field takes line breaks. */
  multiline: boolean;
  /** The key was pressed down in this same field. */
  beganHere: boolean;
}

/** Whether a key repeat may take effect. `chord` as returned by `chordOf`, `key` as in the event. */
export function mayRepeat(chord: string, key: string, { typing, multiline, beganHere }: HeldIn): boolean {
  if (MODIFIER.test(key) || MOVES.test(key)) return true;
  if (!typing) return MAY_REPEAT.has(chord);
  if (!beganHere) return false;
  if (key === 'Escape') return false;
  if (key === 'Enter') return multiline && (chord === 'Enter' || chord === 'Shift+Enter');
  return !/^(?:Ctrl|Alt)\+/.test(chord) || EDITS.has(chord);
}

/** Maximum interval between repeats, ms, so that a key whose release event was lost does not count as held forever. */
const STILL_HELD_MS = 1_200;

interface Press {
  target: EventTarget | null;
  seen: number;
}

/** On-screen keyboards and programs that type send keys without a code. */
const idOf = ({ code, key }: KeyboardEvent): string => code || key;

const isPress = ({ key }: KeyboardEvent) => key === 'Enter' || key === ' ';

/** Legacy key code of a key that an input method claims, with or without a composition. */
const CLAIMED = 229;
/** Keys that begin no composition. Their codes are their names. */
const TYPES_NOTHING = /^(?:Enter|Escape|Tab|Arrow(?:Up|Down|Left|Right)|Page(?:Up|Down)|Home|End)$/;

/** What a claimed key means while nothing is being composed, or null if it may begin a composition. */
function meantBy({ code, ctrlKey, shiftKey, altKey, metaKey }: KeyboardEvent): string | null {
  const name = code.replace(/^NumpadEnter$/, 'Enter');
  if (TYPES_NOTHING.test(name)) return name;
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  return letter !== undefined && ctrlKey && !shiftKey && !altKey && !metaKey ? letter.toLowerCase() : null;
}

function swallow(event: KeyboardEvent): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Filters key repeats before any other listener sees them. Returns the unlisten. */
export function guardHeldKeys(): () => void {
  const pressed = new Map<string, Press>();
  /** A composition has ended since the last key. */
  let ended = false;
  /** Whether an input method handles the key, which then belongs to no field, menu, dialog or hotkey. */
  const isComposed = (event: KeyboardEvent): boolean => {
    if (event.isComposing) return true;
    if (event.keyCode !== CLAIMED) return false;
    // Safari, and some input methods elsewhere, report the key that ends a composition only after its end.
    const key = ended ? null : meantBy(event);
    if (key === null) return true;
    // Windows names Escape, and letters with Ctrl, "Process" while an idle input method listens.
    if (event.key !== 'Process') return false;
    if (!event.target?.dispatchEvent(pressedAgain(event, key))) event.preventDefault();
    return true;
  };
  const down = (event: KeyboardEvent) => {
    const { code, target, timeStamp } = event;
    const composed = isComposed(event);
    ended = false;
    if (composed) return event.stopImmediatePropagation();
    const id = idOf(event);
    const press = pressed.get(id);
    // While Cmd is held, macOS does not report the release of other keys: only the repeat flag counts then. A key
    // without a code may be any key.
    const lasting =
      event.isTrusted && !event.metaKey && code !== '' && press && timeStamp - press.seen < STILL_HELD_MS;
    if (!event.repeat && !lasting) {
      if (event.isTrusted) pressed.set(id, { target, seen: timeStamp });
      return;
    }
    if (press) press.seen = timeStamp;
    const heldIn = {
      typing: isTyping(target),
      multiline: target instanceof HTMLElement && !(target instanceof HTMLInputElement),
      beganHere: press?.target === target,
    };
    if (!mayRepeat(chordOf(event), event.key, heldIn)) swallow(event);
  };
  const up = (event: KeyboardEvent) => {
    ended = false;
    const press = pressed.get(idOf(event));
    pressed.delete(idOf(event));
    // While Cmd is held, keyup events of other keys are lost.
    if (event.key === 'Meta') pressed.clear();
    // The component library activates the focused control on keyup of Enter or Space, wherever the key went down.
    if (event.isTrusted && isPress(event) && press?.target !== event.target) swallow(event);
  };
  const end = () => {
    ended = true;
  };
  const forget = () => pressed.clear();
  window.addEventListener('keydown', down, true);
  window.addEventListener('keyup', up, true);
  window.addEventListener('compositionend', end, true);
  window.addEventListener('blur', forget);
  return () => {
    window.removeEventListener('keydown', down, true);
    window.removeEventListener('keyup', up, true);
    window.removeEventListener('compositionend', end, true);
    window.removeEventListener('blur', forget);
  };
}
