import { exact, plural } from '#shared/model/format.ts';
import { showToast } from '../toaster.ts';

const PUT_IN = new Set(['insertFromPaste', 'insertFromDrop', 'insertFromYank', 'insertReplacementText']);

/**
 * Browsers silently truncate a text pasted or dropped into a field with a length limit, and half a password or value is a
 * different one. This makes single-line fields refuse the text and multi-line ones insert what fits, each with a notice.
 * Once per window. Returns the unlisten.
 */
export function tellCutPastes(): () => void {
  const onInput = (event: InputEvent) => {
    const { target: field, data, inputType } = event;
    if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return;
    if (!PUT_IN.has(inputType) || data === null || field.maxLength < 0) return;
    const text =
      field instanceof HTMLInputElement ? data.replace(/[\r\n]/g, '') : data.replace(/\r\n?/g, '\n');
    const length = field.value.length - ((field.selectionEnd ?? 0) - (field.selectionStart ?? 0));
    const over = length + text.length - field.maxLength;
    if (over <= 0) return;
    const takes = `This field takes at most ${plural(field.maxLength, 'character')}`;
    if (field instanceof HTMLInputElement) {
      event.preventDefault();
      showToast({
        intent: 'error',
        title: 'Too long to paste',
        detail: `${takes}, and this is ${exact(over)} too long.`,
      });
    } else
      showToast({
        intent: 'error',
        title: 'Not everything was pasted',
        detail: `${takes}: the last ${plural(over, 'character')} didn’t fit.`,
      });
  };
  document.addEventListener('beforeinput', onInput, true);
  return () => document.removeEventListener('beforeinput', onInput, true);
}
