// @vitest-environment happy-dom
import type { JSX } from 'react';
import { afterEach, expect, it } from 'vitest';
import { setActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import type { Bridge } from '#shared/bridge/bridge.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import type { ExceptionRule } from '#shared/exceptions/rule.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { answering } from '#tests/support/reads.ts';
import { BlastPanel } from './blast-panel.tsx';
import { EditorPanel } from './editor-panel.tsx';
import {
  beginEditing,
  currentEditing,
  type Editing,
  editForm,
  endEditing,
  useEditing,
} from './editor-store.ts';
import { ANTI_PHISHING, emptyForm, typeChoices } from './form.ts';
import type { BlastRadius } from './use-blast.ts';
import { type Editor, useEditor } from './use-editor.ts';

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
    [...container.querySelectorAll('button')].find((element) =>
      element.textContent?.startsWith('Preview and save'),
    );
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

it('an exception is sent once, however often it is saved before the service answers', async () => {
  setActiveConnectionId('c');
  beginEditing('c', emptyForm(ANTI_PHISHING, typeChoices(ANTI_PHISHING, {}, null)));
  let editor: Editor | null = null;
  function Saving({ editing }: { editing: Editing }): JSX.Element {
    editor = useEditor('c', { name: 'Parapet', product: '' }, {}, editing);
    return <Panel />;
  }
  const started = currentEditing('c');
  if (started === null) throw new Error('not started');
  const sent: PromiseWithResolvers<never>[] = [];
  const call = () => {
    const answer = Promise.withResolvers<never>();
    sent.push(answer);
    return answer.promise;
  };
  setWindowBridge({ call } as unknown as Bridge);
  const { container, unmount } = await mount(
    <BridgeProvider bridge={answering(() => ({ rows: [] }), null)}>
      <Saving editing={started} />
    </BridgeProvider>,
  );
  leave = unmount;
  const save = () => (editor as unknown as Editor).save();
  let first = Promise.resolve(true);
  await doing(() => {
    first = save();
  });
  expect(await save()).toBe(false);
  expect(sent).toHaveLength(1);
  expect(container.textContent).toContain('Saving…');
  await doing(() => sent[0]?.reject(new ParapetError('timeout', 'No answer.')));
  expect(await first).toBe(false);
  // Without an answer, the exception may have been saved.
  expect(container.textContent).toContain('No answer. Your input is kept.');
  await doing(() => void save());
  expect(sent).toHaveLength(2);
});

it('a rule that nothing on this machine can answer is counted by the service, never as 0 emails', async () => {
  setActiveConnectionId('c');
  const rule: ExceptionRule = {
    list: 'block',
    tool: ANTI_PHISHING,
    type: 'url',
    conditions: [{ field: 'url', matching: 'exact', value: 'https://evil.example/pay' }],
  };
  const query = { operator: 'and' as const, conditions: [] };
  const radius: BlastRadius = {
    matches: 0,
    mailboxes: null,
    mailboxesAtLeast: false,
    verdicts: [],
    sample: [],
    checked: { results: 0, emails: 0 },
    unchecked: [{ reason: 'Results without values for: URL', rows: 20_000 }],
    fetchedAt: null,
    since: null,
    ms: 0,
    query,
  };
  const requests: unknown[] = [];
  const bridge = answering(({ body }: { body?: unknown }) => {
    requests.push(body);
    return { rows: [], total_rows: 212 };
  }, null);
  const blast = { radius, error: null, loading: false, retry: () => {} };
  const { container, unmount } = await mount(
    <BridgeProvider bridge={bridge}>
      <BlastPanel blast={blast} rule={rule} isValid notes={[]} isWhole />
    </BridgeProvider>,
  );
  leave = unmount;
  expect(container.textContent).toContain('On the service: 212 emails, whatever their age. Only the host');
  expect(container.textContent).toContain('Not checked');
  expect(container.textContent).not.toMatch(/\b0 emails/);
  expect(requests).toEqual([expect.objectContaining({ count_only: true, condition: query })]);
});
