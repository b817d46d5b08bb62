// @vitest-environment happy-dom
import type { JSX } from 'react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { readToasts } from '#renderer/ui/toaster.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import type { InputOf, ResultSet } from '#shared/bridge/operations.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import { MOST_NAMED, namedRows } from './selection.ts';
import { type RowSelection, useSelection } from './use-selection.ts';

type Matching = InputOf<'results.matching'>;

/** The rows of each result on this machine, in the displayed order. */
let results: Record<string, string[]>;
/** Frozen rows that have not been released. */
let frozen: Map<string, string[]>;
let turn = 0;
/** Delays responses until it resolves. */
let until: Promise<void> | null;

const main: Record<string, (input: never) => unknown> = {
  'results.matching'({ resultId, entityIds, except = [], filter }: Matching) {
    const rows = results[resultId];
    if (rows === undefined) throw new ParapetError('not-found', 'The result is gone.');
    // The filter of these tests shows the rows that its text names.
    const shown = (id: string) => filter === undefined || filter.text.includes(id);
    const ids = rows.filter((id) => shown(id) && (entityIds?.includes(id) ?? true) && !except.includes(id));
    const selectionId = `s-${turn++}`;
    frozen.set(selectionId, ids);
    return { selectionId, count: ids.length };
  },
  'results.selection': ({ selectionId, start, end }: InputOf<'results.selection'>) => ({
    entityIds: frozen.get(selectionId)?.slice(start, end) ?? [],
  }),
  'results.release'({ selectionId }: InputOf<'results.release'>) {
    frozen.delete(selectionId);
    return {};
  },
};
const bridge = fakeBridge({
  async call(operation: string, input: never) {
    await until;
    return main[operation]?.(input);
  },
});

interface Shown {
  id: string;
  state?: ResultSet['state'];
  question?: string;
  /** The ids that the filter shows. */
  text?: string;
}

let unmounts: (() => Promise<void>)[] = [];
async function show(first: Shown) {
  const hook: { rows: RowSelection | null } = { rows: null };
  function Results({ id, state = 'complete', question = '', text }: Shown): JSX.Element | null {
    const filter = text === undefined ? undefined : { text, facets: {} };
    const here = (results[id] ?? []).filter((result) => text?.includes(result) ?? true).length;
    hook.rows = useSelection({ id, state } as ResultSet, here, { filter, sort: undefined }, question);
    return null;
  }
  const drawn = (shown: Shown) => (
    <BridgeProvider bridge={bridge}>
      <Results {...shown} />
    </BridgeProvider>
  );
  const { draw, unmount } = await mount(drawn(first));
  unmounts.push(unmount);
  const rows = (): RowSelection => {
    if (hook.rows === null) throw new Error('not drawn');
    return hook.rows;
  };
  return {
    rows,
    to: (next: Shown) => draw(drawn(next)),
    /** The selection as an action would send it. */
    named: () => namedRows(rows().selection),
    tick: (...ids: string[]) => doing(() => rows().grid.onChange(ids, true)),
    untick: (...ids: string[]) => doing(() => rows().grid.onChange(ids, false)),
    between: (from: number, last: number) => doing(() => rows().grid.onBetween(from, last)),
  };
}
/** Waits until all requests are answered. */
const settled = () => doing(() => new Promise((resolve) => setTimeout(resolve)));
const titles = () => readToasts().map(({ title }) => title);

beforeEach(() => {
  results = { one: ['a', 'b', 'c', 'd', 'e'] };
  frozen = new Map();
  until = null;
});
afterEach(async () => {
  for (const unmount of unmounts) await unmount();
  unmounts = [];
  // Rows frozen in the main process are always released.
  expect(frozen.size).toBe(0);
});

describe('checked rows', () => {
  it('are the only selected ones until the header checkbox clears them', async () => {
    const { rows, named, tick, untick } = await show({ id: 'one' });
    await tick('b', 'd');
    await untick('b');
    expect(named()).toEqual({ entityIds: ['d'] });
    expect(rows().grid.box).toBe('some');
    await doing(() => rows().grid.onBox());
    expect(rows()).toMatchObject({ count: 0, grid: { box: 'none' } });
    await doing(() => rows().grid.onBox());
    expect(rows()).toMatchObject({ count: 5, grid: { box: 'all' } });
    await untick('a', 'b', 'c', 'd', 'e');
    expect(named()).toEqual({ entityIds: [] });
  });

  it('are limited to the number that one call can name', async () => {
    const { rows, tick, between } = await show({ id: 'one' });
    await tick('a');
    await tick(...Array.from({ length: MOST_NAMED }, (_, index) => `x${index}`));
    const [refused] = readToasts();
    expect(titles()).toHaveLength(1);
    await between(0, MOST_NAMED);
    expect(rows().count).toBe(1);
    // The same words again take the place of the first ones.
    expect(titles()).toEqual([refused?.title]);
    expect(readToasts()[0]?.id).not.toBe(refused?.id);
  });

  it('stay selected under a filter, which counts those that it hides', async () => {
    const { rows, named, tick, to } = await show({ id: 'one' });
    await tick('a', 'd');
    await to({ id: 'one', text: 'cd' });
    await settled();
    expect(named()).toEqual({ entityIds: ['a', 'd'] });
    expect(rows()).toMatchObject({ count: 2, hidden: 1, grid: { box: 'some' } });
    await tick('c');
    await settled();
    expect(rows()).toMatchObject({ count: 3, hidden: 1, grid: { box: 'all' } });
    await to({ id: 'one' });
    expect(rows()).toMatchObject({ count: 3, hidden: 0, grid: { box: 'some' } });
  });

  it('are not called shown when that could not be counted', async () => {
    const { rows, tick, to } = await show({ id: 'one' });
    await tick('a');
    results = {};
    await to({ id: 'one', text: 'a' });
    await settled();
    expect(rows()).toMatchObject({ count: 1, hidden: null });
  });

  it('stay selected in the rows of a changed query, which tells those that it lacks', async () => {
    results['two'] = ['b', 'x'];
    const { named, tick, to } = await show({ id: 'one' });
    await tick('a', 'b');
    await to({ id: 'two', question: 'changed' });
    await settled();
    expect(named()).toEqual({ entityIds: ['b'] });
    expect(readToasts()).toMatchObject([
      { title: '1 selected row deselected', detail: 'Not among these rows. 1 still selected.' },
    ]);
  });
});

describe('“all” under another filter', () => {
  it('still means the rows of the filter that it was made under', async () => {
    const { rows, named, untick, to } = await show({ id: 'one', text: 'abc' });
    await doing(() => rows().select('all'));
    await untick('b');
    await to({ id: 'one', text: 'cde' });
    await settled();
    expect(named()).toEqual({ entityIds: ['a', 'c'] });
    expect(rows()).toMatchObject({ count: 2, hidden: 1 });
  });
});

describe('a range selection', () => {
  it('adds the rows between, in the displayed order, to the checked ones', async () => {
    const { named, tick, between } = await show({ id: 'one' });
    await tick('a');
    await between(2, 3);
    await settled();
    expect(named()).toEqual({ entityIds: ['a', 'c', 'd'] });
  });

  it('selects nothing if a new run has replaced the rows meanwhile', async () => {
    results['two'] = ['c', 'x'];
    const { rows, between, to } = await show({ id: 'one' });
    const answer = Promise.withResolvers<void>();
    until = answer.promise;
    await between(1, 2);
    await to({ id: 'two' });
    until = null;
    answer.resolve();
    await settled();
    expect(rows().count).toBe(0);
  });

  it('that fails is reported in a toast', async () => {
    const { rows, between } = await show({ id: 'one' });
    results = {};
    await between(0, 1);
    await settled();
    expect(titles()).toEqual(['The range could not be selected']);
    expect(rows().count).toBe(0);
  });
});

describe('a new run of the query', () => {
  it('after “all but one” keeps the previous run’s rows and selects no new ones', async () => {
    results['two'] = ['new', 'a', 'b', 'c'];
    const { rows, named, untick, to } = await show({ id: 'one' });
    await doing(() => rows().select('all'));
    await untick('b');
    const answer = Promise.withResolvers<void>();
    until = answer.promise;
    await to({ id: 'two', state: 'filling' });
    // Not resolved yet: nothing is selected rather than too much, and actions wait.
    expect(named()).toEqual({ entityIds: [] });
    expect(rows().isRestoring).toBe(true);
    until = null;
    answer.resolve();
    await settled();
    // Resolved before the new run is complete; rows that it lacks are deselected once it is.
    expect(rows().isRestoring).toBe(false);
    expect(named()).toEqual({ entityIds: ['a', 'c', 'd', 'e'] });
    await to({ id: 'two' });
    await settled();
    expect(named()).toEqual({ entityIds: ['a', 'c'] });
  });

  it('does not replace a selection made before the earlier one is resolved', async () => {
    results['two'] = ['new', 'a', 'b'];
    const { rows, named, tick, to } = await show({ id: 'one' });
    await doing(() => rows().select('all'));
    const answer = Promise.withResolvers<void>();
    until = answer.promise;
    await to({ id: 'two', state: 'filling' });
    await tick('new');
    until = null;
    answer.resolve();
    await to({ id: 'two' });
    await settled();
    expect(named()).toEqual({ entityIds: ['new'] });
  });

  it('that is itself replaced before the earlier rows are resolved still keeps them', async () => {
    results['two'] = ['new', 'a', 'b'];
    results['three'] = ['newer', 'b', 'new'];
    const { rows, named, untick, to } = await show({ id: 'one' });
    await doing(() => rows().select('all'));
    await untick('c');
    const answer = Promise.withResolvers<void>();
    until = answer.promise;
    await to({ id: 'two', state: 'filling' });
    await to({ id: 'three', state: 'filling' });
    until = null;
    answer.resolve();
    await to({ id: 'three' });
    await settled();
    expect(named()).toEqual({ entityIds: ['b'] });
    expect(rows().isRestoring).toBe(false);
  });

  it('selects nothing and shows a toast if the earlier result is gone', async () => {
    results['two'] = ['a', 'b'];
    const { rows, to } = await show({ id: 'one' });
    await doing(() => rows().select('all'));
    delete results['one'];
    await to({ id: 'two' });
    await settled();
    expect(rows().count).toBe(0);
    expect(titles()).toEqual(['Selection lost']);
  });

  it('keeps the checked rows that it still contains once it is complete', async () => {
    results['two'] = ['b', 'new'];
    const { named, tick, to } = await show({ id: 'one' });
    await tick('a', 'b');
    await to({ id: 'two', state: 'filling' });
    await settled();
    expect(named()).toEqual({ entityIds: ['a', 'b'] });
    await to({ id: 'two' });
    await settled();
    expect(named()).toEqual({ entityIds: ['b'] });
  });
});
