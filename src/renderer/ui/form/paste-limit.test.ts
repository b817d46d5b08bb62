// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest';
import { closeToast, readToasts } from '../toaster.ts';
import { tellCutPastes } from './paste-limit.ts';

const toastTexts = () => readToasts().map(({ title, detail }) => `${title}: ${detail}`);
let unlisten: () => void = () => undefined;
afterEach(() => {
  unlisten();
  for (const { id } of readToasts()) closeToast(id);
  document.body.replaceChildren();
});

/** Pastes into a field that contains `ab` with `b` selected; returns whether the browser may insert the text. */
function paste(html: string, data: string, inputType = 'insertFromPaste'): boolean {
  unlisten = tellCutPastes();
  document.body.innerHTML = html;
  const field = document.body.firstElementChild as HTMLInputElement | HTMLTextAreaElement;
  field.value = 'ab';
  field.setSelectionRange(1, 2);
  return field.dispatchEvent(
    new InputEvent('beforeinput', { data, inputType, bubbles: true, cancelable: true }),
  );
}

describe('a text that is too long for a field', () => {
  it('[promise] is not pasted into a single-line field at all', () => {
    expect(paste('<input maxlength="4">', 'cdef')).toBe(false);
    expect(toastTexts()).toEqual([
      'Too long to paste: This field takes at most 4 characters, and this is 1 too long.',
    ]);
  });

  it('is pasted into a multi-line field as far as it fits, with a notice', () => {
    expect(paste('<textarea maxlength="4"></textarea>', 'cd\r\ne')).toBe(true);
    expect(toastTexts()).toEqual([
      'Not everything was pasted: This field takes at most 4 characters: the last 1 character didn’t fit.',
    ]);
  });

  it.each([
    ['what fits, without the selection', '<input maxlength="4">', 'cde', 'insertFromPaste'],
    ['line breaks, which one line drops', '<input maxlength="4">', 'cde\r\n', 'insertFromPaste'],
    ['a field without a limit', '<input>', 'cdefgh', 'insertFromPaste'],
    ['what is typed', '<input maxlength="2">', 'c', 'insertText'],
  ])('nothing is said of %s', (_, html, data, type) => {
    expect(paste(html, data, type)).toBe(true);
    expect(toastTexts()).toEqual([]);
  });
});
