// @vitest-environment happy-dom
import type { JSX } from 'react';
import { afterEach, expect, it } from 'vitest';
import { setActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { doing, mount } from '#tests/support/mount.tsx';
import { answering } from '#tests/support/reads.ts';
import { EditorPanel } from './editor-panel.tsx';
import { beginEditing, currentEditing, editForm, endEditing, useEditing } from './editor-store.ts';
import { ANTI_PHISHING, emptyForm, typeChoices } from './form.ts';

let leave = async () => {};
afterEach(async () => {
  await leave();
  endEditing('c');
  setActiveConnectionId(null);
});

function Panel(): JSX.Element | null {
  const editing = useEditing('c');
  const nothing = () => undefined;
  return editing ? (
    <EditorPanel
      connectionId="c"
      branding={{ name: 'Parapet', product: '' }}
      flags={{}}
      editing={editing}
      onShow={nothing}
      onSaved={nothing}
    />
  ) : null;
}

it('a new exception has nothing to fix until saving is attempted, or something wrong was typed', async () => {
  setActiveConnectionId('c');
  const form = emptyForm(ANTI_PHISHING, typeChoices(ANTI_PHISHING, {}, null));
  beginEditing('c', form);
  const { container, unmount } = await mount(
    <BridgeProvider bridge={answering(() => ({ rows: [] }), null)}>
      <Panel />
    </BridgeProvider>,
  );
  leave = unmount;
  const text = () => container.textContent ?? '';
  const save = () =>
    [...container.querySelectorAll('button')].find((one) => one.textContent?.startsWith('Preview and save'));
  expect(text()).not.toContain('fixing');
  expect(save()?.disabled).toBe(false);

  await doing(() => editForm('c', { ...form, value: 'no domain' }));
  expect(text()).toContain('1 field needs fixing');
  await doing(() => editForm('c', form));
  expect(text()).not.toContain('fixing');

  await doing(() => save()?.click());
  expect(text()).toContain('1 field needs fixing');
  expect(currentEditing('c')?.attempted).toBe(true);
  expect(container.querySelector('[aria-invalid="true"]')).not.toBeNull();
});
