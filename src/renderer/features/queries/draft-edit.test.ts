import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDraft, currentDraft, updateDraft } from '#renderer/state/drafts.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import type { ScheduledExport } from '#shared/model/entities.ts';
import { fakeBridge } from '#tests/support/reads.ts';
import { editQuery, editTree, redo, undo } from './draft-edit.ts';
import { addTo } from './tree-edit.ts';

setWindowBridge(fakeBridge({ call: async () => ({}), stream: async () => ({}) }));

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
  it('undoes and redoes one edit at a time, and stops at both ends', () => {
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

  it('leaves the schedule and the status, which are saved by themselves, as they are now', () => {
    const schedule: ScheduledExport = {
      emails: ['a@x.example'],
      format: 'csv',
      frequency: 'daily',
      time: '07:00',
    };
    rename('a');
    updateDraft(id, ({ query, ...draft }) => ({
      ...draft,
      query: { ...query, scheduledExport: schedule, status: 'running' },
    }));
    const now = () => {
      const { scheduledExport, status } = currentDraft(id)?.query ?? {};
      return { scheduledExport, status };
    };
    undo(id);
    expect(now()).toEqual({ scheduledExport: schedule, status: 'running' });
    updateDraft(id, ({ query, ...draft }) => ({ ...draft, query: { ...query, scheduledExport: null } }));
    redo(id);
    expect([name(), now()]).toEqual(['a', { scheduledExport: null, status: 'running' }]);
  });

  it('drops undone edits after a new edit', () => {
    rename('a');
    undo(id);
    rename('b');
    expect([redo(id), name()]).toEqual([false, 'b']);
  });

  it('merges continuous typing into one step; a pause or another field starts a new one', () => {
    rename('a', 'name');
    rename('ab', 'name');
    vi.advanceTimersByTime(1500);
    rename('abc', 'name');
    rename('abcd', 'other');
    const back = () => (undo(id) ? name() : null);
    expect([back(), back(), back(), back()]).toEqual(['abc', 'ab', '', null]);
  });

  it('ignores an edit that changes nothing', () => {
    editQuery(id, (query) => query);
    editTree(id, (tree) => tree);
    expect(undo(id)).toBe(false);
  });

  it('keeps the last hundred edits', () => {
    for (let index = 1; index <= 120; index += 1) rename(String(index));
    let steps = 0;
    while (undo(id)) steps += 1;
    expect([steps, name()]).toEqual([100, '20']);
  });

  it('is separate for each draft', () => {
    const other = createDraft().id;
    editTree(other, (tree) => addTo(tree, [], condition));
    expect(undo(id)).toBe(false);
    expect(currentDraft(other)?.query.filter?.conditions).toEqual([condition]);
  });
});
