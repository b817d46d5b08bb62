// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { dropReads } from '#renderer/bridge/read-store.ts';
import { startAppEvents } from '#renderer/state/app-events.ts';
import { startConnections } from '#renderer/state/connection.ts';
import { closePalette, openPalette, useOverlays } from '#renderer/state/overlays.ts';
import { useTabs } from '#renderer/state/tabs.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import type { EvidenceState } from '#shared/model/evidence.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import { Palette } from './palette.tsx';

const READING: EvidenceState = {
  phase: 'reading',
  files: 3,
  totalFiles: 9,
  unreadable: 0,
  known: 0,
  gone: 0,
  unreachable: 0,
  reason: null,
};
const CONFIG = {
  entityField: 'entity_id',
  fields: [
    { id: 'message_id', label: 'Message-ID', type: 'string', operators: ['is'] },
    { id: 'subject', label: 'Subject', type: 'string', operators: ['is', 'contains_words'] },
    { id: 'headers', label: 'Header', type: 'string', operators: ['starts_with'] },
    { id: 'email', label: 'Email', type: 'string', operators: ['contains_text'] },
    { id: 'client_ip', label: 'Client IP', type: 'ip', operators: ['is'] },
  ],
  operators: [{ id: 'is', label: 'is', arity: 1 }],
  columns: [],
  actions: [],
};
let isThere = false;
/** Releases the pending email lookups; null: they are answered at once. */
let held: (() => void)[] | null = null;
let tell: (event: object) => void = () => {};
/** Endpoints that fail. */
let failing: readonly string[] = [];
/** Addresses of the users that every lookup of users finds, in the order of the service. */
let people: readonly string[] = [];
const CAMPAIGN = { id: '7', name: '“Parcel waiting” from cheap-host.xyz', emails: 14, flagged: 12 };

const answerOf = (endpoint: string, isOfUsers: boolean): object => {
  if (isOfUsers && endpoint === 'query.execute') {
    const rows = people.map((email) => ({ entity_id: email, saas: 's', name: email, email }));
    return { rows, total_rows: rows.length, search_after: null };
  }
  if (endpoint === 'query.config') return CONFIG;
  if (endpoint === 'query.list') return { queries: [] };
  if (endpoint === 'campaigns.list') return { rows: [CAMPAIGN], total_rows: 1 };
  const row = { entity_id: 'e1', saas: 'evidence', subject: 'Invoice overdue' };
  return { rows: isThere ? [row] : [], total_rows: isThere ? 1 : 0, search_after: null };
};
const bridge = fakeBridge({
  call: async (operation: string) =>
    operation === 'connections.list'
      ? {
          connections: [{ id: 'c', kind: 'evidence', name: 'mail' }],
          state: { connectionId: 'c', phase: 'online', since: 0, latencyMs: 1, error: null },
        }
      : operation === 'evidence.state'
        ? { state: READING }
        : {},
  stream: async (operation: string, input: { endpoint: string }, next: (answer: object) => void) => {
    if (operation === 'app.events') {
      tell = next;
      return new Promise(() => {});
    }
    if (operation !== 'service.read') return new Promise(() => {});
    if (held !== null && input.endpoint === 'query.execute')
      await new Promise<void>((resolve) => held?.push(resolve));
    if (failing.includes(input.endpoint))
      throw new ParapetError('server-error', 'The service failed (HTTP 500).');
    next({
      data: answerOf(input.endpoint, JSON.stringify(input).includes('"query_domain":"user"')),
      freshness: { source: 'network', fetchedAt: 1, offline: false },
      error: null,
    });
    return undefined;
  },
});

let leave = async () => {};
beforeEach(async () => {
  isThere = false;
  people = [];
  held = null;
  failing = [];
  setWindowBridge(bridge);
  startAppEvents(bridge, false);
  await startConnections();
  openPalette('<id@corp.example>');
  ({ unmount: leave } = await mount(
    <BridgeProvider bridge={bridge}>
      <Palette />
    </BridgeProvider>,
  ));
});
afterEach(async () => {
  await leave();
  closePalette();
});
const note = () => document.querySelector('.pp-palette-note')?.textContent;
const options = () => [...document.querySelectorAll('[role="option"]')].map((element) => element.textContent);
const press = (key: KeyboardEventInit) =>
  doing(() =>
    document
      .querySelector('[role="combobox"]')
      ?.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, ...key })),
  );
const enter = () => press({ key: 'Enter' });
const isOpen = () => useOverlays.getState().palette !== null;

test('while evidence is being read, a missing email may still arrive, and the lookup is repeated', async () => {
  await expect
    .poll(note)
    .toBe('No email with this Message-ID so far. The evidence is still being read: 3 of 9 files read.');
  isThere = true;
  await doing(() =>
    tell({ type: 'evidence', connectionId: 'c', state: { ...READING, phase: 'read', files: 9 } }),
  );
  await expect.poll(() => options()[0]).toContain('Invoice overdue');
  expect(note()).toBe('');
});

test('an address that is the Message-ID of an email is read as a Message-ID, without questions for an address', async () => {
  await leave();
  isThere = true;
  await doing(() => openPalette('id@corp.example'));
  ({ unmount: leave } = await mount(
    <BridgeProvider bridge={bridge}>
      <Palette />
    </BridgeProvider>,
  ));
  await expect.poll(() => options()[0]).toContain('Invoice overdue');
  await expect
    .poll(() => [document.querySelector('.pp-palette-kind')?.textContent, ...options().slice(1)])
    .toEqual(['Message-ID', 'Copy defanged<id[@]corp[.]example>', 'Copy raw']);
});

test('a campaign of evidence is found by a word of its name', async () => {
  await leave();
  await doing(() => openPalette('parcel'));
  ({ unmount: leave } = await mount(
    <BridgeProvider bridge={bridge}>
      <Palette />
    </BridgeProvider>,
  ));
  await expect.poll(options).toContainEqual(expect.stringContaining('“Parcel waiting” from cheap-host.xyz'));
});

test.each([
  ['nothing', 'zq', [], 'No results for “zq”'],
  [
    'a failed search',
    'zebra',
    ['query.execute'],
    'Not everything was searched. The service failed (HTTP 500).',
  ],
  [
    'unknown fields',
    'zebra',
    ['query.config'],
    'Not everything was searched. The service failed (HTTP 500).',
  ],
])('%s is reported as such', async (_, text, endpoints, expected) => {
  await leave();
  failing = endpoints;
  dropReads('c');
  await doing(() => openPalette(text));
  ({ unmount: leave } = await mount(
    <BridgeProvider bridge={bridge}>
      <Palette />
    </BridgeProvider>,
  ));
  await expect.poll(note).toBe(expected);
});

test('once evidence has been read completely, a missing email is reported as such', async () => {
  await doing(() =>
    tell({ type: 'evidence', connectionId: 'c', state: { ...READING, phase: 'read', files: 9 } }),
  );
  await expect.poll(note).toBe('No email with this Message-ID');
});

test('Enter waits for the email lookup, and does nothing if there is no email', async () => {
  held = [];
  await doing(() =>
    tell({ type: 'evidence', connectionId: 'c', state: { ...READING, phase: 'read', files: 9 } }),
  );
  await expect.poll(() => held?.length).toBeGreaterThan(0);
  await enter();
  const waiting = held ?? [];
  held = null;
  await doing(() => {
    for (const go of waiting) go();
  });
  await expect.poll(note).toBe('No email with this Message-ID');
  expect(isOpen()).toBe(true);
  // A second Enter runs the first item, which the analyst can see by now.
  await enter();
  expect(isOpen()).toBe(false);
});

test.each([
  ['Ctrl K', { key: 'k', code: 'KeyK', ctrlKey: true }],
  ['Cmd K', { key: 'k', code: 'KeyK', metaKey: true }],
  ['Ctrl K of a Russian keyboard', { key: 'л', code: 'KeyK', ctrlKey: true }],
])('%s closes what it opened', async (_, key) => {
  await press({ key: 'k', code: 'KeyK' });
  expect(isOpen()).toBe(true);
  await press(key);
  expect(isOpen()).toBe(false);
});

test.each([
  [
    'X-Mailer: Foxmail',
    'header line',
    ['Emails with the header “X-Mailer: Foxmail”', 'contains “X-Mailer: Foxmail”'],
  ],
  [
    'Subject: Invoice overdue',
    'header line',
    ['the header “Subject: Invoice overdue”', 'contains “Invoice overdue”'],
  ],
  [
    'X-Originating-IP: 192.0.2.7',
    'IP address',
    ['from this IP address', 'the header “X-Originating-IP: 192.0.2.7”'],
  ],
  ['Re: Invoice', null, ['contains “Re: Invoice”']],
])('%s is searched for as %s', async (text, kind, searches) => {
  await leave();
  await doing(() => openPalette(text));
  ({ unmount: leave } = await mount(
    <BridgeProvider bridge={bridge}>
      <Palette />
    </BridgeProvider>,
  ));
  const emails = () => options().filter((option) => option?.startsWith('Emails'));
  await expect.poll(() => emails().length).toBe(searches.length);
  for (const [index, words] of searches.entries()) expect(emails()[index]).toContain(words);
  expect(document.querySelector('.pp-palette-kind')?.textContent ?? null).toBe(kind);
});

test.each(['a.diallo', 'p.wang'])(
  '%s leads to the person with exactly this local part, and Enter waits for the answer',
  async (text) => {
    await leave();
    people = [`${text}9050@corp.example`, `${text}@corp.example`];
    held = [];
    await doing(() => openPalette(text));
    ({ unmount: leave } = await mount(
      <BridgeProvider bridge={bridge}>
        <Palette />
      </BridgeProvider>,
    ));
    await enter();
    expect(isOpen()).toBe(true);
    await expect.poll(() => held?.length).toBeGreaterThan(0);
    expect(isOpen()).toBe(true);
    const waiting = held ?? [];
    held = null;
    await doing(() => {
      for (const go of waiting) go();
    });
    await expect.poll(isOpen).toBe(false);
    expect(useTabs.getState().tabs.at(-1)?.title).toBe(`${text}@corp.example`);
  },
);
