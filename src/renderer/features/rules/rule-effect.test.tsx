// @vitest-environment happy-dom
/** The effect of an edit: counted on what is there now, and never shown as a number otherwise. */
import { afterEach, expect, it } from 'vitest';
import { setActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { toBridgeError } from '#shared/bridge/errors.ts';
import type { ConditionGroup } from '#shared/query/tree.ts';
import { mount, whenDrawn } from '#tests/support/mount.tsx';
import { answering } from '#tests/support/reads.ts';
import { RuleEffect } from './rule-effect.tsx';

const tree = (value: string): ConditionGroup => ({
  operator: 'and',
  conditions: [{ field: 'subject', operator: 'is', values: [value] }],
});
const SAVED = tree('old');
const EDITED = tree('new');

/** Counts by the first condition that is asked for: 40 alone, 12 that are new, 3 that are lost. */
function totalOf({ body }: { body: { condition: ConditionGroup } }): object {
  const condition = JSON.stringify(body.condition);
  const total = condition.includes('"negate":true')
    ? condition.indexOf('new') < condition.indexOf('old')
      ? 12
      : 3
    : 40;
  return { rows: [], search_after: null, total_rows: total };
}

const mounted: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const unmount of mounted.splice(0)) await unmount();
  setActiveConnectionId(null);
});

async function effect(
  props: Partial<Parameters<typeof RuleEffect>[0]>,
  error: Parameters<typeof answering>[1] = null,
): Promise<() => string> {
  // Answers are kept by connection.
  setActiveConnectionId(`ev ${expect.getState().currentTestName}`);
  const { container, unmount } = await mount(
    <BridgeProvider bridge={answering(totalOf, error)}>
      <RuleEffect name="Mine" condition={EDITED} saved={null} problem={null} {...props} />
    </BridgeProvider>,
  );
  mounted.push(unmount);
  return () => container.textContent ?? '';
}

it('a new rule finds so many, an edited one so many more and fewer', async () => {
  const fresh = await effect({});
  await whenDrawn(() => expect(fresh()).toBe('Finds 40 emails.'));
  const edited = await effect({ saved: SAVED });
  await whenDrawn(() => expect(edited()).toBe('Finds 40 emails: 12 more, 3 fewer than the saved rule.'));
});

it('an older count is not shown as the count of now', async () => {
  const words = await effect({ saved: SAVED }, toBridgeError(new Error('x')));
  await whenDrawn(() => expect(words()).toMatch(/^Not counted: /));
  expect(words()).not.toContain('40');
});

it('of wrong conditions nothing is counted', async () => {
  expect((await effect({ problem: 'Enter a value' }))()).toBe('Not counted: Enter a value.');
});
