/**
 * Keys pressed in a mail's frame. Chromium and Firefox report them to listeners that the window puts into the frame;
 * WebKit runs no listener where the sandbox allows no scripts, so there the focus never stays in the frame.
 */
import { pressedAgain } from '#renderer/ui/chord.ts';
import { dictionary } from '#shared/dictionary.ts';

// The prototype's methods, because an element of the mail could shadow the document's own.
const { addEventListener, removeEventListener, dispatchEvent } = EventTarget.prototype;

function hears(inner: Window): boolean {
  let heard = false;
  const listener = () => {
    heard = true;
  };
  addEventListener.call(inner, 'pp-heard', listener);
  dispatchEvent.call(inner, new Event('pp-heard'));
  removeEventListener.call(inner, 'pp-heard', listener);
  return heard;
}

/**
 * Forwards keys and drags from the frame to the window: the events go to the frame's own document, where
 * Parapet has no listeners. What the window does not handle, such as copying the selection, stays with the frame.
 * false: this browser runs no listeners in the frame.
 */
export function forwardInput(frame: HTMLIFrameElement): boolean {
  const inner = frame.contentWindow;
  if (inner === null) return true;
  if (!hears(inner)) return false;
  const onKey = (event: Event) => {
    const copy = pressedAgain(event as KeyboardEvent);
    if (!frame.dispatchEvent(copy)) event.preventDefault();
  };
  for (const type of ['keydown', 'keyup']) addEventListener.call(inner, type, onKey, true);
  const onDrag = (event: Event) => {
    const { type, dataTransfer } = event as DragEvent;
    const copy = new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true });
    if (!frame.dispatchEvent(copy)) event.preventDefault();
  };
  for (const type of ['dragenter', 'dragover', 'drop']) addEventListener.call(inner, type, onDrag, true);
  return true;
}

const LINE = 40;
/** How far a key scrolls, given the height of the frame. */
const SCROLLS: Readonly<Record<string, (height: number) => number>> = dictionary({
  ArrowUp: () => -LINE,
  ArrowDown: () => LINE,
  PageUp: (height) => LINE - height,
  PageDown: (height) => height - LINE,
  Home: () => -Number.MAX_SAFE_INTEGER,
  End: () => Number.MAX_SAFE_INTEGER,
});

/**
 * Moves the focus from the frame to the box around it, where keys reach the window, and scrolls and copies for the
 * frame. What is selected in the frame stays selected. Returns the cleanup.
 */
export function keepFocusOutside(frame: HTMLIFrameElement, box: HTMLElement): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  const moveOut = () => {
    if (document.activeElement === frame) box.focus({ preventScroll: true });
  };
  // After the press has been handled, which would focus the frame again.
  window.addEventListener('blur', () => setTimeout(moveOut), { signal });
  box.addEventListener(
    'keydown',
    (event) => {
      const by = SCROLLS[event.key];
      if (by === undefined || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      frame.contentWindow?.scrollBy(0, by(frame.clientHeight));
      event.preventDefault();
    },
    { signal },
  );
  document.addEventListener(
    'copy',
    (event) => {
      const { activeElement } = document;
      const selected = String(frame.contentWindow?.getSelection() ?? '');
      const isOwn = activeElement === box || activeElement === document.body;
      if (!isOwn || selected === '' || String(getSelection() ?? '') !== '') return;
      event.clipboardData?.setData('text/plain', selected);
      event.preventDefault();
    },
    { signal },
  );
  return () => stop.abort();
}
