// @vitest-environment happy-dom
import type { ComponentProps } from 'react';
import { afterEach, expect, it } from 'vitest';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { mount } from '#tests/support/mount.tsx';
import { answering } from '#tests/support/reads.ts';
import { ExceptionsFacets } from './exceptions-facets.tsx';

type Props = ComponentProps<typeof ExceptionsFacets>;

let leave = async () => {};
afterEach(() => leave());

/** The counts beside “All tools” and the sandbox. */
async function countsBeside(
  first: object | undefined,
  counts: Props['exceptions']['counts'],
  error: object | null = null,
) {
  const exceptions = {
    search: { tool: null, list: null, type: null },
    setSearch: () => {},
    first: { data: first, error },
    counts,
  } as unknown as Props['exceptions'];
  const branding = { product: 'guard' } as unknown as Props['branding'];
  const { container, unmount } = await mount(
    <BridgeProvider bridge={answering(() => ({}))}>
      <ExceptionsFacets exceptions={exceptions} branding={branding} flags={{}} />
    </BridgeProvider>,
  );
  leave = unmount;
  return ['All tools', 'Sandbox'].map(
    (title) => container.querySelector(`[title="${title}"] .pp-facet-count`)?.textContent ?? null,
  );
}

it('shows a placeholder, then the service’s counts', async () => {
  expect(await countsBeside({ rows: [] }, [{ sec_type: 'checkpoint_te', count: 1_234 }])).toEqual([
    '1,234',
    '1,234',
  ]);
  await leave();
  expect(await countsBeside(undefined, null)).toEqual(['…', '…']);
});

it('shows no placeholder once the service has answered without counts', async () => {
  expect(await countsBeside({ rows: [] }, null)).toEqual([null, null]);
});

it('counts that fail to load are reported as unknown once, without placeholders', async () => {
  expect(await countsBeside(undefined, null, { code: 'not-cached' })).toEqual(['Unknown', null]);
});
