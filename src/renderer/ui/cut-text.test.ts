// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tellCutTexts } from './cut-text.ts';

let end: () => void;
beforeEach(() => {
  document.body.innerHTML = `<p style="text-overflow: ellipsis"><span>A long subject</span></p><p title="own" style="text-overflow: ellipsis">x</p>`;
  for (const element of document.querySelectorAll('p')) {
    Object.defineProperty(element, 'scrollWidth', { value: 200 });
    Object.defineProperty(element, 'clientWidth', { value: 100 });
  }
  end = tellCutTexts();
});
afterEach(() => end());
const over = (selector: string) =>
  document.querySelector(selector)?.dispatchEvent(new Event('pointerover', { bubbles: true }));

test('a truncated text is shown in full as a tooltip while the pointer is over it', () => {
  over('span');
  expect(document.querySelector('p')?.title).toBe('A long subject');
  over('body');
  expect(document.querySelector('p')?.hasAttribute('title')).toBe(false);
});

test('an element with its own tooltip keeps it', () => {
  over('p[title]');
  over('body');
  expect(document.querySelectorAll('p')[1]?.title).toBe('own');
});
