// @vitest-environment happy-dom
/** The screen of rules: what each found and why not, deleting with what goes, and importing with what cannot come. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { setActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { startConnections } from '#renderer/state/connection.ts';
import { loadTabs } from '#renderer/state/tabs.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import type { RuleState } from '#shared/model/entities.ts';
import type { RuleHead } from '#shared/rules/rule.ts';
import { doing, mount, whenDrawn } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import { RemoveRulesDialog } from './remove-dialog.tsx';
import { stateWords } from './rules-grid.tsx';
import RulesScreen from './rules-screen.tsx';

const RULE: RuleHead = {
  id: 'r1',
  kind: 'yara',
  name: 'Macro\u202e dropper',
  severity: 4,
  sentence: 'Looks like a dropper',
  isEnabled: true,
  digest: 'd',
  size: 10,
  indicators: null,
  changedAt: 1,
};
const FOUND: RuleState = {
  id: 'r1',
  state: 'applied',
  reason: null,
  hits: 12,
  false_positives: 2,
  applied: null,
};
const planned = (index: number, name: string, state: string, reason: string | null) => ({
  index,
  name,
  kind: state === 'invalid' ? null : 'conditions',
  severity: state === 'invalid' ? null : 3,
  state,
  match: null,
  line: reason === null ? null : 7,
  reason,
  indicators: null,
});

let calls: [string, object][];
const bridge = fakeBridge({
  call: async (operation: string, input: object) => {
    calls.push([operation, input]);
    if (operation === 'connections.list')
      return {
        connections: [{ id: 'ev', kind: 'evidence', name: 'mail' }],
        state: { connectionId: 'ev', phase: 'online', since: 0, latencyMs: 1, error: null },
      };
    if (operation === 'rules.list') return { rules: [RULE] };
    if (operation === 'dialogs.open') return { grantId: 'g', name: 'their.json' };
    if (operation === 'rules.inspect')
      return {
        importId: 'i',
        name: 'their.json',
        rules: [
          planned(0, 'Fresh', 'new', null),
          planned(1, 'Mine', 'changed', null),
          planned(2, 'Broken', 'invalid', 'Its conditions are not valid JSON.'),
        ],
        notes: ['2 lines were left out'],
      };
    if (operation === 'rules.import') return { added: 1, replaced: 0 };
    return operation === 'workspace.get' ? { value: null } : {};
  },
  stream: async (_: string, __: object, next: (answer: object) => void) =>
    next({
      data: { rows: [FOUND], total_rows: 1 },
      freshness: { source: 'network', fetchedAt: 1, offline: false },
      error: null,
      revalidating: false,
    }),
});

let leave = async () => {};
beforeEach(async () => {
  calls = [];
  setWindowBridge(bridge);
  setActiveConnectionId('ev');
  await startConnections();
  await loadTabs('ev');
  const { unmount } = await mount(
    <BridgeProvider bridge={bridge}>
      <RulesScreen />
    </BridgeProvider>,
  );
  leave = unmount;
});
afterEach(async () => {
  await leave();
  setActiveConnectionId(null);
});

const button = (words: string) =>
  [...document.querySelectorAll('button')].find(({ textContent }) => textContent?.startsWith(words));
const press = (words: string) => doing(() => button(words)?.click());
const dialogText = () => document.querySelector('.pp-dialog')?.textContent ?? '';
const sent = (operation: string) => calls.filter(([name]) => name === operation).map(([, input]) => input);

it.each<[string, Partial<RuleState> | null, string]>([
  ['nothing is known', null, 'Unknown: not in this evidence yet'],
  ['not all was checked', { state: 'pending' }, 'Not all mail checked yet'],
  ['it failed', { state: 'failed', reason: 'Line 2: no' }, 'Failed: Line 2: no'],
  ['it did a part', { reason: 'Not finished on 3 emails' }, 'Checked, but: Not finished on 3 emails'],
  ['all was checked', {}, 'All mail checked'],
])('where %s, the state says so', (_, found, words) => {
  expect(stateWords({ rule: RULE, found: found && { ...FOUND, ...found } })).toBe(words);
});

it('the list shows the rules, with direction marks made visible', async () => {
  await whenDrawn(() =>
    expect(document.querySelector('.pp-grid')?.textContent).toContain('Macro‹U+202E› dropper'),
  );
});

it('a rule is deleted only after the hits that go were shown', async () => {
  const dialog = await mount(
    <RemoveRulesDialog rows={[{ rule: RULE, found: FOUND }]} onClose={() => undefined} />,
  );
  expect(dialogText()).toContain('12 hits');
  expect(sent('rules.remove')).toEqual([]);
  await press('Delete 1 rule');
  expect(sent('rules.remove')).toEqual([{ ids: ['r1'] }]);
  await dialog.draw(<RemoveRulesDialog rows={[{ rule: RULE, found: null }]} onClose={() => undefined} />);
  expect(dialogText()).toContain('How many hits go is unknown');
  await dialog.unmount();
});

it('an import shows what cannot come and why, and brings only new rules, disabled', async () => {
  await press('Import');
  await whenDrawn(() => expect(dialogText()).toContain('Import from their.json'));
  expect(dialogText()).toContain('Line 7: Its conditions are not valid JSON.');
  expect(dialogText()).toContain('2 lines were left out');
  await press('Import 1 rule');
  await whenDrawn(() =>
    expect(sent('rules.import')).toEqual([{ importId: 'i', choices: [{ index: 0, isEnabled: false }] }]),
  );
  await whenDrawn(() => expect(dialogText()).toBe(''));
});
