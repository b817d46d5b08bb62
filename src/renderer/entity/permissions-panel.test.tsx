// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest';
import { setActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import { type ErrorCode, ParapetError } from '#shared/bridge/errors.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { answering } from '#tests/support/reads.ts';
import { PermissionsPanel } from './permissions-panel.tsx';

const PEOPLE = Array.from({ length: 40 }, (_, n) => ({ userId: `u${n}`, username: `user ${n}`, roles: [] }));
let leave = async () => {};
afterEach(async () => {
  await leave();
  setActiveConnectionId(null);
});

interface Service {
  full?: boolean;
  /** Returns its first page for every page number. */
  repeats?: boolean;
  /** Counts the rows of a page, or of the list; without it, gives no count. */
  counts?: 'page' | 'list';
  /** Rows per page, whatever page size is requested. */
  size?: number;
  /** How pages after the first fail. */
  fails?: ErrorCode;
}

/** The panel over a service that has `count` entries. */
async function panel(
  count: number,
  entityId: string,
  { full = true, repeats = false, counts, fails, size = 20 }: Service = {},
) {
  const bridge = answering(({ query }: { query: { page: number } }) => {
    if (fails !== undefined && query.page > 0) throw new ParapetError(fails, 'No answer.');
    const start = repeats ? 0 : query.page * size;
    const rows = PEOPLE.slice(0, count).slice(start, start + size);
    return { rows, ...(counts ? { total_rows: counts === 'page' ? rows.length : count } : {}) };
  });
  setWindowBridge(bridge);
  setActiveConnectionId('c');
  const { container, unmount } = await mount(
    <BridgeProvider bridge={bridge}>
      <PermissionsPanel of={{ type: 'file', saas: 's', entityId }} full={full} />
    </BridgeProvider>,
  );
  leave = unmount;
  const button = (label: string) =>
    container.querySelector<HTMLButtonElement>(`button[aria-label="${label}"]`);
  const shown = () =>
    [...container.querySelectorAll('tr[data-user]')].map((row) => row.getAttribute('data-user'));
  return {
    text: () => container.textContent,
    shown,
    next: () => button(`Next ${size}`),
    back: () => button(`Previous ${size}`),
  };
}

it('after a full page without a count, the next page can be read', async () => {
  const { text, shown, next, back } = await panel(40, 'many');
  expect(shown()).toHaveLength(20);
  expect(text()).toContain('1–20, total unknown');
  await doing(() => next()?.click());
  await expect.poll(shown).toContain('u39');
  expect(text()).toContain('21–40, total unknown');
  // Full again: only the empty page after it shows the end, and it does not mean that the file has no permissions.
  await doing(() => next()?.click());
  await expect.poll(text).toContain('Page 3, total unknown');
  expect(next()?.disabled).toBe(true);
  expect(text()).not.toContain('No permissions listed');
  await doing(() => back()?.click());
  await expect.poll(shown).toContain('u39');
});

it('less than a full page is the whole list, without a count', async () => {
  const { text, next } = await panel(19, 'few');
  expect(text()).toContain('19');
  expect(next()).toBeNull();
});

it('[bad input] a first page that is repeated as the second is not shown as further entries', async () => {
  const { text, shown, next } = await panel(40, 'repeated', { repeats: true });
  await doing(() => next()?.click());
  await expect.poll(text).toContain('The service returned its first page again.');
  expect(shown()).toEqual([]);
  expect(text()).toContain('Page 2, total unknown');
  expect(next()?.disabled).toBe(true);
});

it('the short list links to all permissions', async () => {
  const { text } = await panel(40, 'short', { full: false });
  expect(text()).toContain('All permissions');
});

it('a count of a full page’s rows is not shown as the list’s count', async () => {
  const { text, shown, next } = await panel(35, 'page count', { counts: 'page' });
  await expect.poll(text).toContain('1–20, total unknown');
  await doing(() => next()?.click());
  await expect.poll(shown).toContain('u34');
  expect(text()).toContain('21–35, total unknown');
  expect(next()?.disabled).toBe(true);
});

it.each([false, true])(
  'a list of exactly one page is complete if nothing follows; repeated: %s',
  async (repeats) => {
    const { text, next } = await panel(20, `exact ${repeats}`, { counts: 'list', repeats });
    expect(text()).not.toContain('unknown');
    expect(next()).toBeNull();
  },
);

it.each([
  ['server-error', '1–20, total unknown'],
  ['not-found', '20'],
  ['not-cached', '20'],
] as const)(
  'whether more follows than a full page is unknown if the next one fails with %s',
  async (code, words) => {
    const { text } = await panel(20, `fails ${code}`, { counts: 'page', fails: code });
    await expect.poll(text).toContain(words);
    if (words === '20') expect(text()).not.toContain('unknown');
  },
);

it('a counted list keeps its count while a further page is read', async () => {
  const { text, next } = await panel(40, 'counted', { counts: 'list' });
  expect(text()).toContain('1–20 of 40');
  await doing(() => next()?.click());
  await expect.poll(text).toContain('21–40 of 40');
  expect(next()?.disabled).toBe(true);
});

it.each([
  ['the rows of a page', 'page', '1–8, total unknown', '9–16, total unknown', '17–19, total unknown'],
  ['nothing', undefined, '1–8, total unknown', '9–16, total unknown', '17–19, total unknown'],
  ['the list', 'list', '1–8 of 19', '9–16 of 19', '17–19 of 19'],
] as const)(
  'a service with smaller pages than requested that counts %s is read to its end',
  async (_, counts, ...texts) => {
    const { text, shown, next } = await panel(19, `small ${counts}`, {
      size: 8,
      ...(counts ? { counts } : {}),
    });
    await expect.poll(text).toContain(texts[0]);
    await doing(() => next()?.click());
    await expect.poll(shown).toEqual(PEOPLE.slice(8, 16).map(({ userId }) => userId));
    expect(text()).toContain(texts[1]);
    await doing(() => next()?.click());
    await expect.poll(shown).toEqual(PEOPLE.slice(16, 19).map(({ userId }) => userId));
    expect(text()).toContain(texts[2]);
    expect(next()?.disabled).toBe(true);
  },
);
