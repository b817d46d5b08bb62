import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDraft, currentDraft } from '#renderer/state/drafts.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import type { Bridge } from '#shared/bridge/bridge.ts';
import { editQuery, editTree, redo, undo } from './draft-edit.ts';
import { addTo } from './tree-edit.ts';

setWindowBridge({ call: async () => ({}), stream: async () => ({}) } as unknown as Bridge);

let id: string;
const name = () => currentDraft(id)?.query.name;
const rename = (to: string, merge: string | null = null) =>
  editQuery(id, (query) => ({ ...query, name: to }), merge);
const condition = { field: 'subject', operator: 'is', values: ['x'] };

beforeEach(() => {
  vi.useFakeTimers();
  ({ id } = createDraft());
});
afterEach(() => vi.useRealTimers());

describe('the history of a draft', () => {
  it('goes back and forth one edit at a time, and ends at both ends', () => {
    rename('a');
    rename('b');
    expect([undo(id), name(), undo(id), name(), undo(id), name()]).toEqual([true, 'a', true, '', false, '']);
    expect([redo(id), name(), redo(id), name(), redo(id), name()]).toEqual([
      true,
      'a',
      true,
      'b',
      false,
      'b',
    ]);
  });

  it('forgets what was undone once something else is edited', () => {
    rename('a');
    undo(id);
    rename('b');
    expect([redo(id), name()]).toEqual([false, 'b']);
  });

  it('takes typing as one step while it goes on, and a pause or another field as a new one', () => {
    rename('a', 'name');
    rename('ab', 'name');
    vi.advanceTimersByTime(1500);
    rename('abc', 'name');
    rename('abcd', 'other');
    const back = () => (undo(id) ? name() : null);
    expect([back(), back(), back(), back()]).toEqual(['abc', 'ab', '', null]);
  });

  it('has no step for an edit that changes nothing', () => {
    editQuery(id, (query) => query);
    editTree(id, (tree) => tree);
    expect(undo(id)).toBe(false);
  });

  it('holds the last hundred edits', () => {
    for (let at = 1; at <= 120; at += 1) rename(String(at));
    let steps = 0;
    while (undo(id)) steps += 1;
    expect([steps, name()]).toEqual([100, '20']);
  });

  it('is of one draft alone', () => {
    const other = createDraft().id;
    editTree(other, (tree) => addTo(tree, [], condition));
    expect(undo(id)).toBe(false);
    expect(currentDraft(other)?.query.filter?.conditions).toEqual([condition]);
  });
});
