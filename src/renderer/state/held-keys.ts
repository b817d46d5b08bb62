/**
 * The one rule for keys that are held down, and for those of an input method. The repeats of a held key move and type;
 * they never confirm, act, delete, save, open or close, and what began in one place neither types into another nor
 * presses a control there.
 */
import { chordOf, isTyping } from '#renderer/ui/chord.ts';

/** Chords that may repeat wherever the focus is; arrows and the page keys may with any modifier. */
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
/** With Ctrl these edit a text; other chords are commands. */
const EDITS: ReadonlySet<string> = new Set([
  'Ctrl+Z',
  'Ctrl+Shift+Z',
  'Ctrl+Y',
  'Ctrl+V',
  'Ctrl+Backspace',
  'Ctrl+Delete',
]);

/** Where a held key is: the field it types into, as far as it is one. */
interface HeldIn {
  typing: boolean;
  /** The field takes line breaks. */
  multiline: boolean;
  /** The press began in this very field. */
  beganHere: boolean;
}

/** May the repeat of a held key do what it does? `chord` as of `chordOf`, `key` as of the event. */
export function mayRepeat(chord: string, key: string, { typing, multiline, beganHere }: HeldIn): boolean {
  if (MODIFIER.test(key) || MOVES.test(key)) return true;
  if (!typing) return MAY_REPEAT.has(chord);
  if (!beganHere) return false;
  if (key === 'Escape') return false;
  if (key === 'Enter') return multiline && (chord === 'Enter' || chord === 'Shift+Enter');
  return !/^(?:Ctrl|Alt)\+/.test(chord) || EDITS.has(chord);
}

/** Repeats come faster than this, ms; a key whose release was never told is not held for ever. */
const STILL_HELD_MS = 1_200;

interface Press {
  target: EventTarget | null;
  seen: number;
}

const isPress = ({ key }: KeyboardEvent) => key === 'Enter' || key === ' ';

/** An input method has the key. Safari reports the last one of a composition by its old code only. */
const composes = (event: KeyboardEvent) => event.isComposing || event.keyCode === 229;

function swallow(event: KeyboardEvent): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Keeps held keys to what they may do, before anything else hears of them. Returns the unlisten. */
export function guardHeldKeys(): () => void {
  const pressed = new Map<string, Press>();
  const down = (event: KeyboardEvent) => {
    const { code, target, timeStamp } = event;
    // Enter that picks a candidate, and Escape that drops it, are the input method's: no field, menu or dialog hears them.
    if (composes(event) && /^(?:Enter|Escape|Tab|Process|Arrow\w+)$/.test(event.key))
      event.stopImmediatePropagation();
    if (code === '' || composes(event)) return;
    const press = pressed.get(code);
    // While Cmd is held, macOS does not report the release of other keys: only the repeat flag counts then.
    const lasting = event.isTrusted && !event.metaKey && press && timeStamp - press.seen < STILL_HELD_MS;
    if (!event.repeat && !lasting) {
      if (event.isTrusted) pressed.set(code, { target, seen: timeStamp });
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
    const press = pressed.get(event.code);
    pressed.delete(event.code);
    // Cmd swallows the release of what was pressed with it.
    if (event.key === 'Meta') pressed.clear();
    // The component library presses what has the focus as Enter or Space comes up, wherever it went down.
    if (event.isTrusted && isPress(event) && press?.target !== event.target) swallow(event);
  };
  const forget = () => pressed.clear();
  window.addEventListener('keydown', down, true);
  window.addEventListener('keyup', up, true);
  window.addEventListener('blur', forget);
  return () => {
    window.removeEventListener('keydown', down, true);
    window.removeEventListener('keyup', up, true);
    window.removeEventListener('blur', forget);
  };
}
