/** The toasts of the window: a small store that code outside React can call. */

interface ToastInput {
  intent: 'success' | 'info' | 'caution' | 'error';
  title: string;
  detail?: string;
  /** Undo, Copy raw, Open it: runs and closes the toast. */
  action?: { label: string; run: () => void };
  /** Stays until the user closes it, as errors do, because work could be lost otherwise. */
  stays?: boolean;
}

export interface Toast extends ToastInput {
  id: number;
}

const LIFE_MS = 5000;
/** From this many on, a new toast replaces the oldest one that would time out. */
const MOST = 5;

const leaves = ({ intent, stays }: ToastInput): boolean => intent !== 'error' && stays !== true;

/** Same text and no action, as when a failing key is pressed again. */
const isRepeat = (input: ToastInput, other: ToastInput): boolean =>
  input.intent === other.intent &&
  input.title === other.title &&
  input.detail === other.detail &&
  !input.action &&
  !other.action;

let toasts: readonly Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();
const timers = new Map<number, ReturnType<typeof setTimeout>>();

function publish(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/**
 * Shows a toast, replacing one with the same text, and returns its id. It times out after 5 s; errors and toasts with
 * `stays` are closed only by the user.
 */
export function showToast(input: ToastInput): number {
  const id = nextId++;
  const gone =
    toasts.find((toast) => isRepeat(toast, input)) ??
    (toasts.length < MOST ? undefined : toasts.find(leaves));
  if (gone) pauseToast(gone.id);
  publish([...toasts.filter((toast) => toast !== gone), { ...input, id }]);
  resumeToast(id);
  return id;
}

export function closeToast(id: number): void {
  pauseToast(id);
  if (toasts.some((toast) => toast.id === id)) publish(toasts.filter((toast) => toast.id !== id));
}

export function pauseToast(id: number): void {
  clearTimeout(timers.get(id));
  timers.delete(id);
}

export function resumeToast(id: number): void {
  const toast = toasts.find((toast) => toast.id === id);
  if (!toast || !leaves(toast)) return;
  pauseToast(id);
  timers.set(
    id,
    setTimeout(() => closeToast(id), LIFE_MS),
  );
}

export function readToasts(): readonly Toast[] {
  return toasts;
}

export function subscribeToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}
