/**
 * The rule for held keys and input methods. Key repeats may move and type;
 * they never confirm, act, delete, save, open or close, and a key pressed in one place neither types into another nor
 * activates a control there.
 */
import { chordOf, isTyping } from '#renderer/ui/chord.ts';

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

const isPress = ({ key }: KeyboardEvent) => key === 'Enter' || key === ' ';

/** Whether an input method handles the key. Safari reports the last key of a composition only by its legacy key code. */
const composes = (event: KeyboardEvent) => event.isComposing || event.keyCode === 229;

function swallow(event: KeyboardEvent): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Filters key repeats before any other listener sees them. Returns the unlisten. */
export function guardHeldKeys(): () => void {
  const pressed = new Map<string, Press>();
  const down = (event: KeyboardEvent) => {
    const { code, target, timeStamp } = event;
    // Enter and Escape during composition belong to the input method and must not reach fields, menus or dialogs.
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
    // While Cmd is held, keyup events of other keys are lost.
    if (event.key === 'Meta') pressed.clear();
    // The component library activates the focused control on keyup of Enter or Space, wherever the key went down.
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
