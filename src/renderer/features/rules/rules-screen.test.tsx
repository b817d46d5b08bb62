// @vitest-environment happy-dom
/** The screen of rules: what each found and why not, deleting with what goes, and importing with what cannot come. */
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { setActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { startAppEvents } from '#renderer/state/app-events.ts';
import { startConnections } from '#renderer/state/connection.ts';
import { openWith } from '#renderer/state/tab-payload.ts';
import { loadTabs } from '#renderer/state/tabs.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import { ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { RuleState } from '#shared/model/entities.ts';
import type { RuleHead } from '#shared/rules/rule.ts';
import { doing, mount, whenDrawn } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import { endEditing } from './editor-store.ts';
import { ImportRulesDialog } from './import-dialog.tsx';
import { RemoveRulesDialog } from './remove-dialog.tsx';
import { editRule, type RulePlan } from './rule-actions.ts';
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
  sentence: state === 'invalid' ? null : 'Says so',
  state,
  match: null,
  line: reason === null ? null : 7,
  reason,
  indicators: null,
});

let calls: [string, object][];
/** What an operation answers instead; an error rejects. */
let answers: Record<string, object>;
let stateError: object | null;
let emit: (event: object) => void = () => {};
const bridge = fakeBridge({
  call: async (operation: string, input: object) => {
    calls.push([operation, input]);
    const answer = answers[operation];
    if (answer instanceof Error) throw answer;
    if (answer !== undefined) return answer;
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
  stream: async (operation: string, { endpoint }: { endpoint?: string }, next: (answer: object) => void) => {
    if (operation === 'app.events') {
      emit = next;
      return new Promise(() => {});
    }
    return next({
      data:
        endpoint === 'query.config'
          ? { fields: [], operators: [], columns: [], conditions: [], actions: [] }
          : { rows: [FOUND], total_rows: 1 },
      freshness: { source: 'network', fetchedAt: 1, offline: false },
      error: stateError,
      revalidating: false,
    });
  },
});

beforeAll(() => startAppEvents(bridge, false));
let leave = async () => {};
beforeEach(async () => {
  calls = [];
  answers = {};
  stateError = null;
  endEditing();
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
])('where %s, the state says so', (_, hits, words) => {
  expect(stateWords({ rule: RULE, outcome: hits && { ...FOUND, ...hits } })).toBe(words);
});

it('the list shows the rules, with direction marks made visible', async () => {
  await whenDrawn(() =>
    expect(document.querySelector('.pp-grid')?.textContent).toContain('Macro‹U+202E› dropper'),
  );
});

it('a rule is deleted only after the hits that go were shown', async () => {
  const dialog = await mount(
    <RemoveRulesDialog rows={[{ rule: RULE, outcome: FOUND }]} onClose={() => undefined} />,
  );
  expect(dialogText()).toContain('12 hits');
  expect(sent('rules.remove')).toEqual([]);
  await press('Delete 1 rule');
  expect(sent('rules.remove')).toEqual([{ ids: ['r1'] }]);
  await dialog.draw(<RemoveRulesDialog rows={[{ rule: RULE, outcome: null }]} onClose={() => undefined} />);
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

const field = (label: string) => {
  const name = [...document.querySelectorAll('label')].find(({ textContent }) => textContent === label);
  return document.getElementById(name?.htmlFor ?? '');
};
const type = (label: string, text: string) =>
  doing(() => {
    const control = field(label);
    if (!(control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement))
      throw new Error(label);
    const { prototype } = control instanceof HTMLInputElement ? HTMLInputElement : HTMLTextAreaElement;
    Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(control, text);
    control.dispatchEvent(new Event('input', { bubbles: true }));
  });
const screenText = () => document.body.textContent ?? '';

/** The editor of a new rule in YARA. */
async function newYara(): Promise<void> {
  answers['rules.check'] = { problem: null, notes: [], indicators: null };
  await press('New rule');
  await doing(() => {
    const kind = field('Kind');
    if (!(kind instanceof HTMLSelectElement)) throw new Error('No kind');
    kind.value = 'yara';
    kind.dispatchEvent(new Event('change', { bubbles: true }));
  });
}

it('a rule is saved as it is written, and not before it is complete', async () => {
  await newYara();
  expect(document.querySelector('[data-effect]')).toBeNull();
  await press('Save');
  expect(screenText()).toContain('Enter a name');
  expect(screenText()).toContain('Enter its text');
  expect(sent('rules.save')).toEqual([]);
  await type('Name', 'Mine');
  await type('Sentence', 'Says so');
  await type('YARA', 'rule a { condition: true }');
  expect(screenText()).toContain('Not counted yet.');
  answers['rules.save'] = { ...RULE, id: 'r2' };
  await press('Save');
  expect(sent('rules.save')).toEqual([
    {
      id: null,
      content: {
        kind: 'yara',
        name: 'Mine',
        severity: 3,
        sentence: 'Says so',
        text: 'rule a { condition: true }',
      },
      isEnabled: true,
    },
  ]);
  await whenDrawn(() => expect(document.querySelector('h1')?.textContent).toBe('Rules'));
});

it.each([
  ['invalid-input', 'Line 2, column 1: no.', 'Line 2, column 1: no.'],
  ['too-large', 'A profile has at most 2 000 rules.', 'rules. Not saved. Your input is kept.'],
] as const)('a refusal as %s is told, and the input stays', async (code, message, words) => {
  await newYara();
  await type('Name', 'Mine');
  await type('Sentence', 'Says so');
  await type('YARA', 'rule a {');
  answers['rules.save'] = new ParapetError(code, message);
  await press('Save');
  await whenDrawn(() => expect(screenText()).toContain(words));
  expect((field('YARA') as HTMLTextAreaElement).value).toBe('rule a {');
});

it('the line of what is wrong is named while the text is written, and selected on request', async () => {
  await newYara();
  answers['rules.check'] = { problem: { message: 'Line 2: no', line: 2 }, notes: [], indicators: null };
  await type('YARA', 'rule a {\nwrong\n}');
  await whenDrawn(() => expect(screenText()).toContain('Line 2: no'));
  await press('Go to line 2');
  const area = field('YARA') as HTMLTextAreaElement;
  expect(area.value.slice(area.selectionStart, area.selectionEnd)).toBe('wrong');
});

it('a list too long to be edited keeps its text', async () => {
  const list: RuleHead = { ...RULE, kind: 'indicators', name: 'Feed', indicators: 9 };
  answers['rules.get'] = { rule: list, text: 'domain a.test', isWhole: false };
  answers['rules.save'] = list;
  await doing(() => void editRule('r1'));
  expect(screenText()).toContain('too long to be edited here');
  await type('Name', 'Feed 2');
  await press('Save');
  expect(sent('rules.save')).toMatchObject([{ id: 'r1', content: { name: 'Feed 2', text: null } }]);
});

it('a rule from elsewhere replaces unsaved changes only after asking', async () => {
  await newYara();
  await type('Name', 'Mine');
  await doing(() => void openWith('rules', { name: 'Other' }));
  expect(dialogText()).toContain('Your changes to this rule are not saved');
  expect((field('Name') as HTMLInputElement).value).toBe('Mine');
  await press('Discard');
  expect((field('Name') as HTMLInputElement).value).toBe('Other');
});

it('a rule that was changed elsewhere, and a second one of the same name, are told', async () => {
  answers['rules.get'] = { rule: { ...RULE, changedAt: 0 }, text: 'x', isWhole: true };
  await doing(() => void editRule('r1'));
  await whenDrawn(() => expect(screenText()).toContain('was changed elsewhere'));
  await press('Cancel');
  await newYara();
  await type('Name', RULE.name);
  expect(screenText()).toContain('Another rule of this kind has the same name');
});

it('older rules, and unknown hits, say so above the list', async () => {
  await whenDrawn(() => expect(document.querySelector('.pp-grid')?.textContent).toContain('dropper'));
  answers['rules.list'] = new ParapetError('internal', 'The workspace could not be read.');
  stateError = toBridgeError(new ParapetError('internal', 'The evidence could not be read.'));
  await doing(() => emit({ type: 'rules' }));
  const bars = () => [...document.querySelectorAll('.pp-error-bar')].map(({ textContent }) => textContent);
  await whenDrawn(() =>
    expect(bars()).toEqual([
      expect.stringContaining('Showing an older list.'),
      expect.stringContaining('What the rules found is unknown.'),
    ]),
  );
  expect(document.querySelector('.pp-grid')?.textContent).toContain('dropper');
});

it('a list gets a name and a severity before it is imported, and says what it replaces under that name', async () => {
  answers['rules.inspect'] = {
    importId: 'i',
    name: 'feed.txt',
    rules: [
      {
        ...planned(0, 'feed', 'new', null),
        kind: 'indicators',
        sentence: 'On the list “feed”',
        indicators: 2,
      },
    ],
    notes: [],
  };
  await press('Import');
  await whenDrawn(() => expect(dialogText()).toContain('2 indicators'));
  await type('Name', 'Feed A');
  expect((field('Sentence') as HTMLInputElement).value).toBe('On the list “Feed A”');
  await press('Import 1 rule');
  await whenDrawn(() =>
    expect(sent('rules.import')).toEqual([
      {
        importId: 'i',
        choices: [
          {
            index: 0,
            isEnabled: false,
            as: { name: 'Feed A', severity: 3, sentence: 'On the list “Feed A”' },
          },
        ],
      },
    ]),
  );
});

it('[limit 2000 rules] a file with more rules than the profile takes says how many can be added', async () => {
  const rules = ['a', 'b', 'c'].map((name, index) => planned(index, name, 'new', null));
  const { unmount } = await mount(
    <BridgeProvider bridge={bridge}>
      <ImportRulesDialog
        plan={{ importId: 'i', name: 'many.zip', rules, notes: [] } as unknown as RulePlan}
        existing={Array.from({ length: 1_998 }, () => RULE)}
        onClose={() => undefined}
      />
    </BridgeProvider>,
  );
  expect(dialogText()).toContain('2 more can be added');
  expect(button('Import 3 rules')?.disabled).toBe(true);
  await press('Select none');
  expect(button('Nothing selected')?.disabled).toBe(true);
  await press('Select new');
  await doing(() => document.querySelector<HTMLElement>('[aria-label="Import b"]')?.click());
  await press('Import 2 rules');
  expect(sent('rules.import')).toMatchObject([{ choices: [{ index: 0 }, { index: 2 }] }]);
  await unmount();
});
