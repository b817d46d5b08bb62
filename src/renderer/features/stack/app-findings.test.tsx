// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest';
import { setActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { mount } from '#tests/support/mount.tsx';
import { answering } from '#tests/support/reads.ts';
import { AppFindings } from './item-detail.tsx';

let leave = async () => {};
afterEach(async () => {
  await leave();
  setActiveConnectionId(null);
});

/** The panel of an app with this many findings, and three of another app. `total`: the service's count. */
async function panel(count: number, total: number | null = null) {
  const finding = (app: string) => (_: unknown, index: number) => ({
    id: `${app}${index}`,
    app,
    title: `Finding ${index}`,
    severity: 3,
  });
  const rows = [
    ...Array.from({ length: count }, finding('mail')),
    ...Array.from({ length: 3 }, finding('drive')),
  ];
  const bridge = answering(() => ({ rows, ...(total === null ? {} : { total_rows: total }) }));
  // Reads are cached per connection, so each test has its own.
  setActiveConnectionId(`c${count}-${total}`);
  const { container, unmount } = await mount(
    <BridgeProvider bridge={bridge}>
      <AppFindings name="mail" />
    </BridgeProvider>,
  );
  leave = unmount;
  return container;
}

it.each([
  [99, 99, null],
  [100, 100, null],
  [101, 100, 'and 1 more'],
  [1_300, 100, 'and 1,200 more'],
])('of %i findings of an app %i are listed, and the rest are counted', async (count, listed, words) => {
  const container = await panel(count);
  await expect.poll(() => container.querySelectorAll('.pp-finding')).toHaveLength(listed);
  if (words === null) expect(container.textContent).not.toContain('more');
  else expect(container.textContent).toContain(words);
});

it('an app without findings in a partial response is not shown as having none', async () => {
  const container = await panel(0, 250);
  await expect.poll(() => container.textContent).toContain('3 of 250 findings');
  expect(container.textContent).toContain('at least 0');
  expect(container.textContent).not.toContain('No findings');
});
