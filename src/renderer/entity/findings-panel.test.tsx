// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest';
import { setActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { mount } from '#tests/support/mount.tsx';
import { answering } from '#tests/support/reads.ts';
import { FindingsPanel } from './findings-panel.tsx';

let leave = async () => {};
afterEach(async () => {
  await leave();
  setActiveConnectionId(null);
});

const ALL = ['a', 'b', 'c'].map((id) => ({ id, title: `Finding ${id}`, label: id }));

/** The panel of an entity for which the service returns these of its findings. */
async function panel(ids: readonly string[]): Promise<() => string> {
  const bridge = answering(({ query }: { query?: { entity_id?: string } }) => ({
    rows: query?.entity_id === undefined ? ALL : ALL.filter(({ id }) => ids.includes(id)),
  }));
  // Reads are cached by connection, so each test has its own.
  setActiveConnectionId(`of ${ids.join()}`);
  const { container, unmount } = await mount(
    <BridgeProvider bridge={bridge}>
      <FindingsPanel entityId="e" noun="email" />
    </BridgeProvider>,
  );
  leave = unmount;
  return () => container.textContent ?? '';
}
const WARNING = 'The service lists the same findings without naming this email';

it('findings of a service that ignores the filter and lists all of them are not shown as this entity’s', async () => {
  const text = await panel(['a', 'b', 'c']);
  await expect.poll(text).toContain(WARNING);
  expect(text()).toContain('Finding a');
});

it.each([[['b']], [[]]])('findings %j of this entity are shown without a warning', async (ids) => {
  const text = await panel(ids);
  await expect.poll(text).toContain(ids.length > 0 ? 'Finding b' : 'No findings');
  expect(text()).not.toContain(WARNING);
});
