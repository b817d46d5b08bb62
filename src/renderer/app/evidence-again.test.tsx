// @vitest-environment happy-dom
/** Evidence that was not read to its end, or may have changed, is read again from where the analyst sees it. */
import type { JSX } from 'react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { JobsTray } from '#renderer/features/activity/jobs-tray.tsx';
import { ConnectionSwitcher } from '#renderer/features/connections/connection-switcher.tsx';
import { EvidenceHome } from '#renderer/features/home/evidence-home.tsx';
import { startConnections } from '#renderer/state/connection.ts';
import { currentDraft } from '#renderer/state/drafts.ts';
import { startJobs } from '#renderer/state/jobs.ts';
import { activeTab, loadTabs } from '#renderer/state/tabs.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import type { EvidenceState } from '#shared/model/evidence.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import { Banners } from './banners.tsx';

const CANCELLED: EvidenceState = {
  phase: 'cancelled',
  files: 3,
  totalFiles: 9,
  unreadable: 0,
  known: 3,
  gone: 0,
  unreachable: 0,
  reason: null,
};
const JOB = {
  id: 'j',
  kind: 'evidence-import',
  title: 'Import mail',
  connectionId: 'c',
  state: 'cancelled',
  unit: 'bytes',
  done: 3,
  total: 9,
  startedAt: 1,
  endedAt: 2,
  canPause: false,
  canRetry: true,
  error: null,
  note: null,
  outcome: null,
};
let state: EvidenceState;
let calls: [string, object][];
/** Whether queries for mail return an empty list. */
let answersRows = false;
const NO_MAIL = {
  data: { rows: [], total_rows: 0, search_after: null, queries: [] },
  freshness: { source: 'network', fetchedAt: 1, offline: false },
  error: null,
};
const answers: Record<string, () => object> = {
  'connections.list': () => ({
    connections: [{ id: 'c', kind: 'evidence', name: 'mail' }],
    state: { connectionId: 'c', phase: 'online', since: 0, latencyMs: 1, error: null },
  }),
  'evidence.state': () => ({ state }),
  'evidence.read': () => {
    state = { ...state, phase: 'reading' };
    return { state };
  },
  'evidence.problems': () => ({ imported: 3, notMail: 0, problems: [] }),
  'jobs.list': () => ({ jobs: [JOB] }),
  'jobs.control': () => ({ ...JOB, id: 'again', state: 'running', endedAt: null }),
};
const bridge = fakeBridge({
  call: async (operation: string, input: object) => {
    calls.push([operation, input]);
    return answers[operation]?.() ?? {};
  },
  stream: (_: string, __: object, next: (answer: object) => void) => {
    if (answersRows) next(NO_MAIL);
    return new Promise(() => {});
  },
});

let mounted: Awaited<ReturnType<typeof mount>> | null = null;
beforeEach(async () => {
  state = CANCELLED;
  calls = [];
  answersRows = false;
  setWindowBridge(bridge);
  await startConnections();
  await loadTabs('c');
});
afterEach(async () => {
  await mounted?.unmount();
  mounted = null;
});

async function shown(part: JSX.Element): Promise<void> {
  mounted = await mount(<BridgeProvider bridge={bridge}>{part}</BridgeProvider>);
}
const button = (name: string) =>
  [...document.querySelectorAll('button')].find(
    (element) => (element.getAttribute('aria-label') ?? element.textContent) === name,
  );
const press = (name: string) => doing(() => button(name)?.click());
const READ = ['evidence.read', { connectionId: 'c' }];

test('the banner of a cancelled import shows how far it got, and resumes it', async () => {
  await shown(<Banners />);
  expect(document.body.textContent).toContain('Reading the evidence was cancelled: 3 of 9 files read.');
  await press('Continue');
  expect(calls).toContainEqual(READ);
  expect(document.body.textContent).toContain('Reading evidence.');
  expect(button('Continue')).toBeUndefined();
});

test('the banner of an incomplete import reads the evidence again; a complete import has no banner', async () => {
  state = { ...CANCELLED, phase: 'read', files: 9, unreadable: 1 };
  await shown(<Banners />);
  await press('Read again');
  expect(calls).toContainEqual(READ);
  await mounted?.unmount();
  state = { ...CANCELLED, phase: 'read', files: 9 };
  await shown(<Banners />);
  expect(document.body.textContent).not.toContain('vidence');
});

test('Home reads the evidence again', async () => {
  await shown(<EvidenceHome name="mail" />);
  await press('Read again');
  expect(calls).toContainEqual(READ);
});

test('the figures of Home open the emails they count, and the import report', async () => {
  answersRows = true;
  await shown(<EvidenceHome name="mail" />);
  await press('Found or suspicious: 0. Open as query');
  const route = activeTab()?.route;
  const draft = route?.screen === 'query' ? currentDraft(route.draftId) : null;
  expect(draft?.query).toMatchObject({
    name: 'Found or suspicious',
    domain: 'email',
    filter: { conditions: [{ field: 'verdict', operator: 'in_list', values: ['found', 'suspicious'] }] },
  });
  expect(document.querySelector('[data-tile="Found or suspicious"]')?.textContent).toContain(
    '0 with nothing found',
  );
  await press('Import problems: 0. Open the import report');
  expect(activeTab()?.route.screen).toBe('activity');
});

test('an import that was cancelled before its first mail is not shown as “no emails found”', async () => {
  answersRows = true;
  await shown(<EvidenceHome name="mail" />);
  expect(document.body.textContent).toContain('No emails yet');
  expect(document.body.textContent).not.toContain('found no emails');
  await mounted?.unmount();
  state = { ...CANCELLED, phase: 'read', files: 9 };
  await shown(<EvidenceHome name="mail" />);
  expect(document.body.textContent).toContain('The import found no emails.');
});

test('[promise] the connection menu reads the evidence again, or verifies all of it', async () => {
  await shown(<ConnectionSwitcher />);
  for (const [item, verify] of [
    ['Read again', false],
    ['Verify all', true],
  ] as const) {
    await doing(() => document.querySelector<HTMLElement>('.pp-switcher')?.click());
    await doing(() =>
      [...document.querySelectorAll<HTMLElement>('[role=menuitem]')]
        .find((element) => element.textContent === item)
        ?.click(),
    );
    expect(calls).toContainEqual(['evidence.read', { connectionId: 'c', verify }]);
  }
});

test('a cancelled import is retried from its job', async () => {
  await startJobs();
  await shown(<JobsTray />);
  expect(document.body.textContent).toContain('Cancelled at');
  await press('Retry');
  expect(calls).toContainEqual(['jobs.control', { id: 'j', action: 'retry' }]);
});
