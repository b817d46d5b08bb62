// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest';
import type { ResponseOrder } from '#shared/model/responses.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { ResponseDialog } from './response-dialog.tsx';

let leave = async () => {};
afterEach(() => leave());

/** Opens a rescan by these tools, unticks some, and sends it. `late`: the tools answer only once it is open. */
async function rescan(
  ids: readonly string[],
  unticked: readonly string[] = [],
  late = false,
): Promise<ResponseOrder[]> {
  const sent: ResponseOrder[] = [];
  const dialog = (tools: readonly string[]) => (
    <ResponseDialog
      kind="rescan"
      noun="1 email"
      preview={null}
      warnings={[]}
      isDanger={false}
      tools={tools.map((id) => ({ id, label: id, verdict: 'Clean' }))}
      identifier=""
      pending={false}
      error={null}
      onSend={(order) => sent.push(order)}
      onClose={() => undefined}
    />
  );
  const { draw, unmount } = await mount(dialog(late ? [] : ids));
  leave = unmount;
  if (late) await draw(dialog(ids));
  const labelled = (text: string) =>
    [...document.querySelectorAll('label')]
      .find((element) => element.textContent?.startsWith(text))
      ?.querySelector('input');
  for (const id of unticked) await doing(() => labelled(id)?.click());
  const button = [...document.querySelectorAll('button')].find((element) =>
    element.textContent?.startsWith('Rescan 1 email'),
  );
  await doing(() => button?.click());
  return sent;
}

it('a rescan names its tools even if all are chosen, because a service may read an empty list as none', async () => {
  expect((await rescan(['av', 'url'])).map(({ tools }) => tools)).toEqual([['av', 'url']]);
});

it('a rescan without a tool is not sent, unless no tool has answered yet', async () => {
  expect(await rescan(['av'], ['av'])).toEqual([]);
  await leave();
  expect((await rescan([])).map(({ tools }) => tools)).toEqual([[]]);
});

it('tools that answer only while the dialog is open are chosen, too', async () => {
  expect((await rescan(['av', 'url'], [], true)).map(({ tools }) => tools)).toEqual([['av', 'url']]);
  await leave();
  expect((await rescan(['av', 'url'], ['av'], true)).map(({ tools }) => tools)).toEqual([['url']]);
});

it('the button of a report says as what it reports', async () => {
  const { unmount } = await mount(
    <ResponseDialog
      kind="report"
      noun="1 email"
      preview={null}
      warnings={[]}
      isDanger={false}
      tools={[]}
      identifier=""
      pending={false}
      error={null}
      onSend={() => undefined}
      onClose={() => undefined}
    />,
  );
  leave = unmount;
  const labels = () =>
    [...document.querySelectorAll('.pp-dialog-footer button')].map(({ textContent }) => textContent);
  expect(labels().some((text) => text?.startsWith('Report 1 email as phishing'))).toBe(true);
  const spam = [...document.querySelectorAll('label')].find(({ textContent }) => textContent === 'Spam');
  await doing(() => spam?.click());
  expect(labels().some((text) => text?.startsWith('Report 1 email as spam'))).toBe(true);
});
