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

/** What stands beside the names of all tools and of the sandbox. */
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

it('says counts of a service that counts, and waits for them', async () => {
  expect(await countsBeside({ rows: [] }, [{ sec_type: 'checkpoint_te', count: 1_234 }])).toEqual([
    '1,234',
    '1,234',
  ]);
  await leave();
  expect(await countsBeside(undefined, null)).toEqual(['…', '…']);
});

it('does not wait for counts of a service that has answered without', async () => {
  expect(await countsBeside({ rows: [] }, null)).toEqual([null, null]);
});

it('does not wait for counts that could not be loaded: they are unknown, which is said once', async () => {
  expect(await countsBeside(undefined, null, { code: 'not-cached' })).toEqual(['Unknown', null]);
});
