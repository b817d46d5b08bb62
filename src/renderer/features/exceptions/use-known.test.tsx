// @vitest-environment happy-dom
import type { JSX } from 'react';
import { afterEach, expect, it } from 'vitest';
import { setActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import type { BridgeError } from '#shared/bridge/errors.ts';
import { mount } from '#tests/support/mount.tsx';
import { answering } from '#tests/support/reads.ts';
import { type Known, useKnown } from './use-known.ts';

const ENTRIES = Array.from({ length: 45 }, (_, n) => ({
  id: `e${n}`,
  sec_type: 'ap_guard',
  type: 'blacklist',
  string: `site${n}.example`,
  payload: { field: 'from_domain', matching: 'exact' },
}));
let leave = async () => {};
afterEach(async () => {
  await leave();
  setActiveConnectionId(null);
});

const sizes = new Set<number>();

/** The result of the hook for a list in pages of twenty. */
async function listsOf(
  product: string,
  pageOf: (page: number) => object,
  error: BridgeError | null = null,
): Promise<() => Known | null> {
  const bridge = answering(({ body }: { body: { page: number; size: number } }) => {
    sizes.add(body.size);
    return pageOf(body.page);
  }, error);
  setActiveConnectionId('c');
  let hook: Known | null = null;
  function Probe(): JSX.Element | null {
    hook = useKnown('c', product, 'anti_phishing');
    return null;
  }
  ({ unmount: leave } = await mount(
    <BridgeProvider bridge={bridge}>
      <Probe />
    </BridgeProvider>,
  ));
  return () => hook;
}
const rows = (page: number) => ENTRIES.slice(page * 20, page * 20 + 20);

it.each([
  ['counted', (page: number) => ({ rows: rows(page), total_rows: 45 }), 45, true],
  ['without a count', (page: number) => ({ rows: rows(page) }), 45, true],
  ['that repeats its first page', () => ({ rows: rows(0), total_rows: 45 }), 20, false],
  ['that ends early', (page: number) => ({ rows: page > 0 ? [] : rows(0), total_rows: 45 }), 20, false],
] as const)('a new exception is compared with a list %s', async (name, pageOf, count, isWhole) => {
  const hook = await listsOf(name, pageOf);
  await expect.poll(() => hook()?.isWhole).toBe(isWhole);
  expect(hook()?.entries.size).toBe(count);
  // Specification, section 9.
  expect([...sizes]).toEqual([20]);
});

it('an older list, shown because the newer one failed to load, may be incomplete', async () => {
  const error = { code: 'timeout', message: 'No answer.', retryable: true } as const;
  const hook = await listsOf('older', (page) => ({ rows: rows(page), total_rows: 45 }), error);
  await expect.poll(() => hook()?.isWhole).toBe(false);
  expect(hook()?.entries.size).toBe(45);
});
