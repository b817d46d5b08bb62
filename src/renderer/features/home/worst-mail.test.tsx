// @vitest-environment happy-dom
/** Home of evidence: the worst emails with their reasons, and the hunts with their counts. */
import type { JSX } from 'react';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { setActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { currentDraft } from '#renderer/state/drafts.ts';
import { activeTab, loadTabs } from '#renderer/state/tabs.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import type { ExecutePayload } from '#shared/api/catalogue/queries.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import { soon } from '#tests/support/soon.ts';
import { Hunts } from './hunts.tsx';
import { WorstMail } from './worst-mail.tsx';

const finding = (check: string) => ({
  operator: 'and',
  conditions: [{ field: 'findings', operator: 'contains_any', values: [check] }],
});
const template = (id: string, check: string) => ({
  id,
  type: 'query',
  subType: 'template',
  domain: 'email',
  entityType: 'email',
  name: `Hunt for ${check}`,
  columns: [],
  filter: finding(check),
});
const QUERIES = [
  template('a', 'links.address'),
  template('b', 'content.loan'),
  template('c', 'content.crypto'),
  { ...template('d', 'links.user'), subType: null, name: 'Plain query' },
];
const WORST = [
  {
    entity_id: '1',
    saas: 'evidence',
    verdict: 'found',
    subject: 'Your order is on hold',
    from_email: 'billing@vendor.example',
    reasons: ['First reason', 'Second reason', 'Third reason'],
  },
  { entity_id: '2', saas: 'evidence', verdict: 'suspicious', subject: '', from_email: null, reasons: [] },
];

let rows: readonly object[];
let queries: ExecutePayload[];
const bridge = fakeBridge({
  call: async () => ({}),
  stream: async (
    _: string,
    { endpoint, body }: { endpoint: string; body: ExecutePayload },
    next: (answer: object) => void,
  ) => {
    const freshness = { source: 'network', fetchedAt: 1, offline: false };
    const answer = (data: object) => next({ data, freshness, error: null, revalidating: false });
    if (endpoint === 'query.list') return answer({ queries: QUERIES });
    queries.push(body);
    const isHunt = JSON.stringify(body.condition).includes('links.address');
    if (body.count_only) return answer({ rows: [], search_after: null, total_rows: isHunt ? 7 : 0 });
    return answer({ rows, search_after: null, total_rows: rows.length });
  },
});

let leave = async () => {};
let container: HTMLElement;
/** Another connection in each test, as reads are shared. */
let connections = 0;
beforeEach(async () => {
  rows = WORST;
  queries = [];
  connections += 1;
  setWindowBridge(bridge);
  setActiveConnectionId(`worst-${connections}`);
  await loadTabs(`worst-${connections}`);
});
afterEach(async () => {
  await leave();
  setActiveConnectionId(null);
});

async function show(part: JSX.Element) {
  const shown = await mount(<BridgeProvider bridge={bridge}>{part}</BridgeProvider>);
  leave = shown.unmount;
  container = shown.container;
}
const text = () => container.textContent;
const button = (name: RegExp) =>
  [...container.querySelectorAll('button')].find((button) =>
    name.test(button.getAttribute('aria-label') ?? button.textContent ?? ''),
  );
const draft = () => {
  const route = activeTab()?.route;
  return route?.screen === 'query' ? currentDraft(route.draftId)?.query : undefined;
};

describe('emails that deserve a look', () => {
  test('are the found and suspicious ones, worst first, with their two strongest reasons', async () => {
    await show(<WorstMail total={771} importing={false} incomplete={null} />);
    await soon(() => expect(container.querySelectorAll('tbody tr')).toHaveLength(2));
    expect(queries[0]).toMatchObject({
      condition: { conditions: [{ field: 'verdict', operator: 'in_list', values: ['found', 'suspicious'] }] },
      sort_by: [{ dbId: 'verdict', direction: 'asc' }],
    });
    expect(text()).toContain('2 of 771');
    expect(text()).not.toContain('so far');
    const [first, second] = [...container.querySelectorAll('tbody tr')];
    expect([...(first?.querySelectorAll('li') ?? [])].map((item) => item.textContent)).toEqual([
      'First reason',
      'Second reason',
    ]);
    expect(first?.textContent).toContain('billing@vendor.example');
    expect(second?.textContent).toContain('(no subject)');
    expect(second?.textContent).toContain('No reason is recorded');
  });

  it('open as a query in the same order, and each as its profile', async () => {
    await show(<WorstMail total={771} importing={false} incomplete={null} />);
    await soon(() => expect(button(/^Show all 2$/)).toBeDefined());
    await doing(() => button(/^Show all 2$/)?.click());
    expect(draft()).toMatchObject({
      filter: { conditions: [{ field: 'verdict', values: ['found', 'suspicious'] }] },
      sort: [{ dbId: 'verdict', direction: 'asc' }],
    });
    await doing(() => button(/^Your order/)?.click());
    expect(activeTab()?.route).toMatchObject({ screen: 'email', entityId: '1' });
  });

  it.each([
    [true, null, 'Import in progress'],
    [false, 'Reading the evidence was cancelled: 3 of 9 files read.', 'cancelled: 3 of 9'],
  ])('are not shown as all of them: importing %s, incomplete %s', async (importing, incomplete, words) => {
    await show(<WorstMail total={771} importing={importing} incomplete={incomplete} />);
    await soon(() => expect(text()).toContain('2 of 771 so far'));
    expect(text()).toContain(words);
  });

  it.each([
    [false, null, 'Nothing found by the checks', 'does not make the emails clean'],
    [true, null, 'Nothing found so far', 'checked as they are imported'],
    [false, 'It was cancelled.', 'Nothing found so far', 'It was cancelled.'],
  ])('if there are none, importing %s, incomplete %s: %s', async (importing, incomplete, title, reason) => {
    rows = [];
    await show(<WorstMail total={771} importing={importing} incomplete={incomplete} />);
    await soon(() => expect(text()).toContain(title));
    expect(text()).toContain(reason);
    expect(button(/^Show all/)).toBeUndefined();
  });
});

describe('hunts', () => {
  it('are the templates with their counts; those without a match are behind a button', async () => {
    await show(<Hunts isPartial={false} />);
    await soon(() => expect(text()).toContain('2 more find nothing'));
    expect(button(/^Hunt for links.address 7$/)).toBeDefined();
    expect(text()).not.toContain('content.loan');
    expect(text()).not.toContain('Plain query');
    expect(text()).not.toContain('so far');
    await doing(() => button(/more find nothing/)?.click());
    expect(button(/^Hunt for content.loan 0$/)).toBeDefined();
    await doing(() => button(/^Hide 2/)?.click());
    expect(button(/content.loan/)).toBeUndefined();
  });

  it('open as a new query with their conditions', async () => {
    await show(<Hunts isPartial />);
    await soon(() => expect(text()).toContain('2 more find nothing so far'));
    await doing(() => button(/^Hunt for links.address/)?.click());
    expect(draft()).toMatchObject({ name: 'Hunt for links.address', filter: finding('links.address') });
    expect(draft()?.subType).toBeNull();
  });
});
