import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { closeToast, readToasts, showToast } from './toaster.ts';

const titles = () => readToasts().map(({ title }) => title);
const run = () => {};

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  for (const { id } of readToasts()) closeToast(id);
  vi.useRealTimers();
});

it('a repeated failure is shown once, as the newest toast', () => {
  showToast({ intent: 'error', title: 'Couldn’t copy', detail: 'Denied' });
  showToast({ intent: 'error', title: 'Couldn’t copy', detail: 'No focus' });
  showToast({ intent: 'error', title: 'Couldn’t copy', detail: 'Denied' });
  expect(readToasts().map(({ detail }) => detail)).toEqual(['No focus', 'Denied']);
});

it('toasts with an action are not merged, because each acts on something else', () => {
  for (const _ of [1, 2]) showToast({ intent: 'info', title: 'Deleted', action: { label: 'Undo', run } });
  expect(titles()).toEqual(['Deleted', 'Deleted']);
});

it('a repeated toast stays as long as a new one', () => {
  showToast({ intent: 'success', title: 'Copied' });
  vi.advanceTimersByTime(4000);
  showToast({ intent: 'success', title: 'Copied' });
  vi.advanceTimersByTime(4000);
  expect(titles()).toEqual(['Copied']);
  vi.advanceTimersByTime(1000);
  expect(titles()).toEqual([]);
});

it('a full stack drops toasts that time out, never errors or toasts that the user has to close', () => {
  showToast({ intent: 'caution', title: 'Unsaved', stays: true, action: { label: 'Reopen', run } });
  showToast({ intent: 'error', title: 'Failed' });
  showToast({ intent: 'success', title: 'Copied' });
  for (const title of ['One', 'Two', 'Three', 'Four']) showToast({ intent: 'error', title });
  expect(titles()).toEqual(['Unsaved', 'Failed', 'One', 'Two', 'Three', 'Four']);
  vi.advanceTimersByTime(60_000);
  expect(titles()).toHaveLength(6);
});
