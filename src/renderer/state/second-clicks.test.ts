// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it } from 'vitest';
import { guardSecondClicks } from './second-clicks.ts';

const TYPES = ['mousedown', 'mouseup', 'click', 'dblclick'] as const;
let heard: string[];
let unlisten: () => void;
const element = (tag: string, parent: Element, text = tag): HTMLElement => {
  const element = document.createElement(tag);
  element.textContent = text;
  parent.append(element);
  for (const type of TYPES) element.addEventListener(type, () => heard.push(`${type} ${text}`));
  return element;
};
/** The events of one click as browsers send them; the number of the click is in `detail`. */
const click = (target: Element, detail: number) => {
  for (const type of TYPES.slice(0, detail === 2 ? 4 : 3))
    target.dispatchEvent(new MouseEvent(type, { bubbles: true, cancelable: true, detail }));
};
const dialog = () => {
  const element = document.createElement('div');
  element.className = 'pp-dialog';
  document.body.append(element);
  return element;
};
beforeEach(() => {
  heard = [];
  unlisten = guardSecondClicks();
});
afterEach(() => {
  unlisten();
  document.body.replaceChildren();
});

it('the second click of a double click on Undo reaches neither the row nor the button in its place', () => {
  const box = dialog();
  const undo = element('button', box, 'Undo');
  undo.addEventListener('click', () => box.remove());
  const row = element('div', document.body, 'row');
  click(undo, 1);
  heard = [];
  click(row, 2);
  expect(heard).toEqual([]);
  const other = element('button', dialog(), 'Cancel remaining');
  click(other, 2);
  expect(heard).toEqual([]);
  // The next click is a new one.
  click(other, 1);
  expect(heard).toEqual(['mousedown Cancel remaining', 'mouseup Cancel remaining', 'click Cancel remaining']);
});

it('a double click on one control, and on what lies in no dialog, menu or notification, is untouched', () => {
  const step = element('button', dialog(), 'Next');
  click(step, 1);
  click(step, 2);
  expect(heard.filter((line) => line === 'click Next')).toHaveLength(2);
  // Tabs take each other's place when one is closed.
  const first = element('button', document.body, 'Close first');
  const second = element('button', document.body, 'Close second');
  click(first, 1);
  click(second, 2);
  expect(heard).toContain('click Close second');
  const cell = element('span', document.body, 'cell');
  click(cell, 1);
  click(cell, 2);
  expect(heard).toContain('dblclick cell');
});
