// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import { flushWorkspace } from '#renderer/state/workspace.ts';
import type { Groups, LocalFilter, ResultSet } from '#shared/bridge/operations.ts';
import type { QueryConfig } from '#shared/model/entities.ts';
import { type ConditionGroup, emptyGroup } from '#shared/query/tree.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import type { FilterState } from '../results/use-filter.ts';
import { Timeline } from './timeline.tsx';

const HOUR = 3_600_000;
const groups: Groups = {
  rows: 12,
  loaded: 12,
  first: 0,
  last: 3 * HOUR,
  axes: [
    { column: 'received', step: { ms: HOUR }, edges: [0, HOUR, 2 * HOUR, 3 * HOUR, 4 * HOUR], aside: 0 },
    { column: 'verdict', values: ['clean', 'found', 'odd'], distinct: 3, several: false },
  ],
  cells: [
    { at: [0, 0], count: 5, first: 0, last: 0 },
    { at: [0, 1], count: 2, first: 0, last: 0 },
    { at: [2, 2], count: 1, first: 0, last: 0 },
    { at: [4, 0], count: 4, first: null, last: null },
  ],
};
const field = (id: string, type: string, more = {}) => ({
  id,
  dbId: id,
  label: 'Received',
  type,
  operators: [],
  ...more,
});
const config = {
  domain: 'email',
  fields: [
    field('received', 'date'),
    field('verdict', 'enum', { allowedValues: ['found', 'clean'].map((value) => ({ value, label: value })) }),
  ],
  operators: [],
  columns: [],
  conditions: [],
  actions: [],
  sort: [{ dbId: 'received', direction: 'desc' }],
} as unknown as QueryConfig;
const result = {
  id: 'r',
  loaded: 12,
  total: 40,
  atLeast: false,
  state: 'paused',
  columns: ['received', 'verdict'].map((id) => ({ id, label: id, type: '', multiValues: false })),
} as unknown as ResultSet;

let unmounts: (() => Promise<void>)[] = [];
afterEach(async () => {
  await flushWorkspace();
  for (const unmount of unmounts) await unmount();
  unmounts = [];
});

async function timeline(of: ResultSet = result) {
  let tree: ConditionGroup = emptyGroup();
  let facets: LocalFilter['facets'] = {};
  const calls: unknown[] = [];
  let counted = groups;
  let { state } = of;
  const bridge = fakeBridge({
    call: async (name: string, input: unknown) => {
      calls.push([name, input]);
      return counted;
    },
  });
  setWindowBridge(bridge);
  const filter = () =>
    ({
      filter: { text: '', facets },
      setFacets: (next) => {
        facets = next;
      },
      tree,
      editTree: (change: (now: ConditionGroup) => ConditionGroup) => {
        tree = change(tree);
      },
    }) as FilterState;
  const node = (now = of) => (
    <BridgeProvider bridge={bridge}>
      <Timeline result={now} config={config} filter={filter()} />
    </BridgeProvider>
  );
  const { container, draw, unmount } = await mount(node());
  unmounts.push(unmount);
  return {
    container,
    asked: calls,
    draw: () => draw(node()),
    /** The bars are counted again, as when more rows have arrived. */
    recount: (next: Groups) => {
      counted = next;
      state = state === 'filling' ? 'paused' : 'filling';
      return draw(node({ ...of, state }));
    },
    tree: () => tree,
    facets: () => facets,
  };
}
const bar = (container: HTMLElement, index: number) =>
  container.querySelectorAll<HTMLElement>('.pp-bars-keys button')[index]!;
const press = (target: HTMLElement, key: string, shiftKey = false) =>
  doing(() => target.dispatchEvent(new KeyboardEvent('keydown', { key, shiftKey, bubbles: true })));
const SPAN = { field: 'received', operator: 'between' };

describe('the timeline of a result', () => {
  it('labels bars with exact counts by verdict, and reports rows without a time and missing rows', async () => {
    const { container, asked } = await timeline();
    expect(asked).toMatchObject([
      ['results.groups', { resultId: 'r', by: [{ column: 'received' }, { column: 'verdict' }] }],
    ]);
    const labels = [...container.querySelectorAll('.pp-bars-keys button')].map((element) =>
      element.getAttribute('aria-label'),
    );
    expect(labels).toHaveLength(4);
    // Unrecognised verdicts count as unknown.
    expect(labels[0]).toContain('Found 2, Unknown 0, Clean 5');
    expect(labels[2]).toContain('Found 0, Unknown 1, Clean 0');
    expect(container.textContent).toContain('No time: 4');
    expect(container.textContent).toContain('12 fetched of 40');
    expect(container.textContent).toContain('per hour');
  });

  it('[promise] filters for a dragged range', async () => {
    const { container, tree } = await timeline();
    await doing(() => bar(container, 1).dispatchEvent(new PointerEvent('pointerdown', { bubbles: true })));
    await doing(() => bar(container, 2).dispatchEvent(new MouseEvent('mouseover', { bubbles: true })));
    expect(tree().conditions).toEqual([]);
    await doing(() => window.dispatchEvent(new PointerEvent('pointerup')));
    expect(tree().conditions).toEqual([
      { ...SPAN, values: [new Date(HOUR).toISOString(), new Date(3 * HOUR - 1).toISOString()] },
    ]);
  });

  it('can be filtered by keyboard', async () => {
    const { container, tree, draw } = await timeline();
    await press(bar(container, 3), 'ArrowLeft', true);
    await press(bar(container, 2), 'ArrowLeft', true);
    await press(bar(container, 1), 'Enter');
    expect(tree().conditions).toEqual([
      { ...SPAN, values: [new Date(HOUR).toISOString(), new Date(4 * HOUR - 1).toISOString()] },
    ]);
    await draw();
    // Escape cancels the selection.
    await press(bar(container, 0), 'ArrowRight', true);
    await press(bar(container, 1), 'Escape');
    await press(bar(container, 1), 'Enter');
    expect(tree().conditions[0]).toMatchObject({
      values: [new Date(HOUR).toISOString(), expect.any(String)],
    });
  });

  it('filters for the rows without a time', async () => {
    const { container, facets } = await timeline();
    const button = [...container.querySelectorAll('button')].find(
      (element) => element.textContent === 'No time: 4',
    );
    await doing(() => button?.click());
    expect(facets()).toEqual({ received: [null] });
  });

  it('a range stays where it was begun while the bars are recounted, and goes with its bars', async () => {
    const { container, tree, recount } = await timeline();
    const [spans, verdicts] = groups.axes;
    const from = (first: number): Groups => ({
      ...groups,
      axes: [
        {
          ...spans!,
          edges: Array.from({ length: 5 }, (_, index) => (first + index) * HOUR),
        } as (typeof groups.axes)[number],
        verdicts!,
      ],
    });
    await doing(() => bar(container, 1).dispatchEvent(new PointerEvent('pointerdown', { bubbles: true })));
    await recount(from(-1));
    await doing(() => bar(container, 3).dispatchEvent(new MouseEvent('mouseover', { bubbles: true })));
    await doing(() => window.dispatchEvent(new PointerEvent('pointerup')));
    const span = [{ ...SPAN, values: [new Date(HOUR).toISOString(), new Date(3 * HOUR - 1).toISOString()] }];
    expect(tree().conditions).toEqual(span);
    await doing(() => bar(container, 0).dispatchEvent(new PointerEvent('pointerdown', { bubbles: true })));
    await recount(from(1));
    await doing(() => window.dispatchEvent(new PointerEvent('pointerup')));
    expect(tree().conditions).toEqual(span);
  });

  it('is not shown without rows', async () => {
    const { container } = await timeline({ ...result, loaded: 0, total: 0 });
    expect(container.querySelector('.pp-timeline')).toBeNull();
  });

  it('sends no request while collapsed', async () => {
    const { container, asked, draw } = await timeline();
    const toggle = container.querySelector<HTMLElement>('.pp-timeline-toggle')!;
    await doing(() => toggle.click());
    await draw();
    expect(container.querySelector('.pp-bars-keys')).toBeNull();
    expect(toggle.getAttribute('aria-expanded')).toBe('false');
    expect(asked).toHaveLength(1);
    // Saved as a preference for all results.
    await flushWorkspace();
    expect(asked[1]).toMatchObject(['workspace.put', { key: 'preferences', value: { timeline: false } }]);
    await doing(() => toggle.click());
    expect(asked[2]).toMatchObject(['results.groups', {}]);
  });
});
