// @vitest-environment happy-dom
import { act, type JSX } from 'react';
import { expect, it } from 'vitest';
import { ParapetError } from '#shared/bridge/errors.ts';
import { mount } from '#tests/support/mount.tsx';
import { useAnswer } from './use-answer.ts';

interface Asked {
  question: string;
  signal: AbortSignal;
  answer: PromiseWithResolvers<string>;
  show: (part: string) => void;
}

/** A view of one question, with what it has asked so far. */
async function asking() {
  const asked: Asked[] = [];
  let now: ReturnType<typeof useAnswer<string>> | undefined;
  function View({ question }: { question: string | null }): JSX.Element {
    now = useAnswer<string>(question, (signal, show) => {
      const answer = Promise.withResolvers<string>();
      asked.push({ question: question ?? '', signal, answer, show });
      return answer.promise;
    });
    return <p />;
  }
  const { draw } = await mount(<View question={null} />);
  return {
    asked,
    ask: (question: string | null) => draw(<View question={question} />),
    shown: () => [now?.data, now?.last, now?.error?.message ?? null, now?.isAsking],
    again: () => act(async () => now?.again()),
  };
}

it('answers one question at a time: another one, or null, cancels it, and no answer is shown for another', async () => {
  const { asked, ask, shown } = await asking();
  expect([asked.length, shown()]).toEqual([0, [null, null, null, false]]);
  await ask('a');
  expect(shown()).toEqual([null, null, null, true]);
  await ask('b');
  expect(asked.map(({ question, signal }) => [question, signal.aborted])).toEqual([
    ['a', true],
    ['b', false],
  ]);
  await act(async () => asked[1]?.answer.resolve('of b'));
  await act(async () => asked[0]?.answer.resolve('of a, too late'));
  expect(shown()).toEqual(['of b', 'of b', null, false]);
  await ask('c');
  expect(shown()).toEqual([null, 'of b', null, true]);
  await ask(null);
  expect([asked[2]?.signal.aborted, shown()]).toEqual([true, [null, 'of b', null, false]]);
});

it('keeps the last answer beside a failure, and asks again on request', async () => {
  const { asked, ask, shown, again } = await asking();
  await ask('a');
  await act(async () => asked[0]?.answer.resolve('first'));
  await again();
  expect(shown()).toEqual([null, 'first', null, true]);
  await act(async () => asked[1]?.answer.reject(new ParapetError('server-error', 'No answer.')));
  expect(shown()).toEqual([null, 'first', 'No answer.', false]);
});

it('shows a part of the answer until the rest arrives', async () => {
  const { asked, ask, shown } = await asking();
  await ask('a');
  await act(async () => asked[0]?.show('part'));
  expect(shown()).toEqual(['part', 'part', null, false]);
  await act(async () => asked[0]?.answer.resolve('all'));
  expect(shown()).toEqual(['all', 'all', null, false]);
});
