// @vitest-environment happy-dom
/** What a text would find: counted on request, never a number where it was not counted. */
import { afterEach, expect, it } from 'vitest';
import { setActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { ParapetError } from '#shared/bridge/errors.ts';
import { doing, mount, whenDrawn } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import { effectWords, TextEffect } from './text-effect.tsx';

const EFFECT = { checked: 40, unfinished: 0, finds: 15, more: 12, fewer: 3, notes: [] };

it.each([
  [{}, 'Finds 15 emails: 12 more, 3 fewer than the saved rule.'],
  [{ more: 0, fewer: 0 }, 'Finds 15 emails, the same as the saved rule.'],
  [{ more: null, fewer: null }, 'Finds 15 emails.'],
  [
    { unfinished: 2 },
    'Finds 15 of the 40 emails that could be checked: 12 more, 3 fewer than the saved rule.',
  ],
  [{ checked: 0, unfinished: 2, finds: 0, more: 0, fewer: 0 }, 'Not counted.'],
  [{ checked: 0, finds: 0, more: null, fewer: null }, 'There is no email here to count.'],
])('%j is told in words', (more, words) => {
  expect(effectWords({ ...EFFECT, ...more })).toBe(words);
});

let leave = async () => {};
afterEach(async () => {
  await leave();
  setActiveConnectionId(null);
});

it('is counted on request, with progress; an edit or Cancel ends the count and takes its figures away', async () => {
  setActiveConnectionId('ev');
  const reads: { input: object; signal: AbortSignal; answer: PromiseWithResolvers<object> }[] = [];
  const bridge = fakeBridge({
    call: () => new Promise(() => {}),
    stream: (
      _: string,
      input: object,
      next: (event: object) => void,
      { signal }: { signal: AbortSignal },
    ) => {
      const answer = Promise.withResolvers<object>();
      reads.push({ input, signal, answer });
      next({ done: 7, total: 40 });
      return answer.promise;
    },
  });
  const drawn = (text: string, problem: string | null = null) => (
    <BridgeProvider bridge={bridge}>
      <TextEffect kind="yara" text={text} ruleId="r1" problem={problem} />
    </BridgeProvider>
  );
  const { container, draw, unmount } = await mount(drawn('one'));
  leave = unmount;
  const words = () => container.querySelector('[data-effect]')?.textContent;
  const press = () => doing(() => container.querySelector('button')?.click());
  expect(words()).toBe('Not counted yet.');
  expect(reads).toEqual([]);
  await press();
  expect(words()).toContain('Counting: 7 of 40 emails');
  expect(reads[0]?.input).toEqual({ connectionId: 'ev', id: 'r1', kind: 'yara', text: 'one' });
  await press();
  expect([reads[0]?.signal.aborted, words()]).toEqual([true, 'Not counted yet.']);
  await press();
  await doing(() => reads[1]?.answer.resolve({ ...EFFECT, notes: ['Not finished on 3 emails.'] }));
  await whenDrawn(() =>
    expect(words()).toBe('Finds 15 emails: 12 more, 3 fewer than the saved rule. Not finished on 3 emails.'),
  );
  await draw(drawn('two'));
  expect(words()).toBe('Not counted yet.');
  await press();
  await draw(drawn('three'));
  expect([reads[2]?.signal.aborted, words()]).toEqual([true, 'Not counted yet.']);
  await press();
  await doing(() => reads[3]?.answer.reject(new ParapetError('invalid-input', 'It was stopped.')));
  await whenDrawn(() => expect(words()).toBe('Not counted: It was stopped.'));
  await draw(drawn('three', 'Line 1: no'));
  expect(words()).toContain('Not counted: its text is wrong.');
});
