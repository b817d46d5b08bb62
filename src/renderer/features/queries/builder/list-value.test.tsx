// @vitest-environment happy-dom
import { useState } from 'react';
import { afterEach, expect, it } from 'vitest';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import type { FieldConfig } from '#shared/model/entities.ts';
import type { ConditionValue } from '#shared/query/tree.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import { ListValue } from './list-value.tsx';

let leave = async () => {};
afterEach(() => leave());

async function list(start: readonly ConditionValue[], type = 'text') {
  const bridge = fakeBridge({
    call: () => new Promise(() => {}),
    stream: () => new Promise(() => {}),
  });
  setWindowBridge(bridge);
  let values = start;
  const field: FieldConfig = { id: 'f', dbId: 'f', label: 'Field', type, operators: ['in_list'] };
  function Held() {
    const [now, setNow] = useState(start);
    values = now;
    return (
      <ListValue field={field} label="Value" values={now} invalid={false} words={false} onChange={setNow} />
    );
  }
  const { container, unmount } = await mount(
    <BridgeProvider bridge={bridge}>
      <Held />
    </BridgeProvider>,
  );
  leave = unmount;
  const button = (text: string) =>
    [...document.querySelectorAll('button')].find(
      (element) => element.textContent === text || element.getAttribute('aria-label')?.startsWith(text),
    );
  return {
    values: () => values,
    press: (text: string) => doing(() => button(text)?.click()),
    text: () => document.querySelector('textarea')?.value,
    /** Pastes into the input. */
    paste: (text: string) =>
      doing(() => {
        const event = new ClipboardEvent('paste', { bubbles: true, cancelable: true });
        Object.defineProperty(event, 'clipboardData', { value: { getData: () => text } });
        container.querySelector('input')?.dispatchEvent(event);
      }),
  };
}

it('values that contain separators stay intact when edited as text', async () => {
  const start = ['Invoice, overdue', 'Doe; John', '"quoted"', ' spaced '];
  const { press, text, values } = await list(start);
  await press('Edit 4 values');
  expect(text()).toContain('"Invoice, overdue"');
  await press('Apply');
  expect(values()).toEqual(start);
});

it('a column that was copied from a spreadsheet becomes one value per cell', async () => {
  const { paste, values } = await list([]);
  await paste('a\r\n"Invoice, overdue"\r\n"two\nlines"\r\n');
  expect(values()).toEqual(['a', 'Invoice, overdue', 'two\nlines']);
  await paste('"Invoice, paid"');
  expect(values()).toHaveLength(3);
});

it('[bad input] a column of numbers keeps its decimal commas', async () => {
  const { paste, values } = await list([], 'number');
  await paste('1,5\r\n2,25\r\n');
  expect(values()).toEqual([1.5, 2.25]);
});
