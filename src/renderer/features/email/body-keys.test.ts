// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { forwardInput, keepFocusOutside } from './body-keys.ts';

let frame: HTMLIFrameElement;
let box: HTMLElement;
let selected = '';
const scrolled = vi.fn();
const key = (name: string) =>
  box.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true }));

class FrameWindow extends EventTarget {
  scrollBy = scrolled;
  getSelection = () => selected;
}

beforeEach(() => {
  vi.useFakeTimers();
  selected = '';
  scrolled.mockReset();
  box = document.body.appendChild(document.createElement('div'));
  box.tabIndex = 0;
  // Frames do not load here: an element with a window stands in for one.
  frame = box.appendChild(document.createElement('div')) as HTMLElement as HTMLIFrameElement;
  frame.tabIndex = -1;
  Object.defineProperty(frame, 'contentWindow', { value: new FrameWindow() });
  Object.defineProperty(frame, 'clientHeight', { value: 300 });
});
afterEach(() => {
  box.remove();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('keys pressed in the frame are dispatched again in the window', () => {
  const pressed: string[] = [];
  document.addEventListener('keydown', ({ key }) => pressed.push(key), { once: true });
  expect(forwardInput(frame)).toBe(true);
  frame.contentWindow?.dispatchEvent(new KeyboardEvent('keydown', { key: 'k' }));
  expect(pressed).toEqual(['k']);
});

it('detects a browser that runs no listeners in the frame', () => {
  // As in WebKit: what is dispatched reaches no listener of the window.
  frame.contentWindow?.addEventListener('pp-heard', (event) => event.stopImmediatePropagation());
  expect(forwardInput(frame)).toBe(false);
});

it('the focus moves from the frame to its box, which scrolls and copies for it', () => {
  const stop = keepFocusOutside(frame, box);
  frame.focus();
  window.dispatchEvent(new Event('blur'));
  vi.runAllTimers();
  expect(document.activeElement).toBe(box);

  expect(key('PageDown')).toBe(false);
  expect(key('ArrowUp')).toBe(false);
  expect(key('j')).toBe(true);
  expect(scrolled.mock.calls).toEqual([
    [0, 260],
    [0, -40],
  ]);

  const copied = vi.fn();
  const copy = () => {
    const event = new Event('copy', { bubbles: true, cancelable: true });
    Object.defineProperty(event, 'clipboardData', { value: { setData: copied } });
    return box.dispatchEvent(event);
  };
  expect(copy()).toBe(true);
  selected = 'Sign in';
  expect(copy()).toBe(false);
  expect(copied.mock.calls).toEqual([['text/plain', 'Sign in']]);

  stop();
  expect(copy()).toBe(true);
  expect(key('PageDown')).toBe(true);
});
