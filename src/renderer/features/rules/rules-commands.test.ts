/** What is offered for no rule, one and several; and what checking again checks. */
import { beforeEach, expect, it } from 'vitest';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import type { RuleHead } from '#shared/rules/rule.ts';
import { fakeBridge } from '#tests/support/reads.ts';
import { commandsOf } from './rules-commands.ts';
import type { RuleRow, Rules } from './use-rules.ts';

const row = (id: string, isEnabled: boolean): RuleRow => ({
  rule: { id, name: id, isEnabled } as RuleHead,
  outcome: null,
});
const ON = row('on', true);
const OFF = row('off', false);

let calls: [string, object][] = [];
beforeEach(() => {
  calls = [];
  setWindowBridge(
    fakeBridge({
      call: async (operation: string, input: object) => {
        calls.push([operation, input]);
        return {};
      },
    }),
  );
});

const offered = (chosen: readonly RuleRow[], selected: readonly RuleRow[], rows = [ON, OFF]) =>
  commandsOf({
    connectionId: 'ev',
    rules: { rows, error: null, outcomeError: null, job: null, refresh: () => {} } satisfies Rules,
    chosen,
    selected,
    open: () => {},
  });

it('several rules can be enabled together, but only a single one is opened or edited', async () => {
  const { hits, edit, enable, remove } = offered([ON, OFF], [ON, OFF]);
  expect([hits.why, edit.why]).toEqual(['Choose a single rule', 'Choose a single rule']);
  expect([enable.label, enable.why, remove.why]).toEqual(['Enable', null, null]);
  await enable.run();
  expect(calls).toEqual([['rules.enable', { ids: ['on', 'off'], isEnabled: true }]]);
});

it('checking again takes the selected rules that are enabled, or all; the focused one is no selection', async () => {
  const { run: some } = offered([ON, OFF], [ON, OFF]);
  expect([some.label, some.title]).toEqual([
    'Check 1 now',
    'Check all mail again with 1 selected rule; disabled ones are left out',
  ]);
  await some.run();
  const { run: all } = offered([ON], []);
  expect(all.label).toBe('Check all now');
  await all.run();
  expect(calls).toEqual([
    ['rules.run', { connectionId: 'ev', ids: ['on'] }],
    ['rules.run', { connectionId: 'ev', ids: null }],
  ]);
});

it('without an enabled rule there is nothing to check, and it says which', () => {
  expect(offered([OFF], [OFF]).run.why).toBe('No selected rule is enabled');
  expect(offered([], [], [OFF]).run.why).toBe('No rule is enabled');
  expect(offered([], []).enable.why).toBe('Choose a rule');
});
