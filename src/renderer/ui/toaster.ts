/** The toasts of the window: a small store that code outside React can call. */

interface ToastInput {
  intent: 'success' | 'info' | 'caution' | 'error';
  title: string;
  detail?: string;
  /** Undo, Copy raw, Open it: runs and closes the toast. */
  action?: { label: string; run: () => void };
  /** Stays until it is closed, as errors do, because work could be lost with it. */
  stays?: boolean;
}

export interface Toast extends ToastInput {
  id: number;
}

const LIFE_MS = 5000;
const MOST = 5;

let toasts: readonly Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();
const timers = new Map<number, ReturnType<typeof setTimeout>>();

function publish(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** Shows a toast and returns its id. It leaves after 5 s; errors stay until they are closed. */
export function showToast(input: ToastInput): number {
  const id = nextId++;
  const oldest = toasts.length < MOST ? undefined : toasts.find((toast) => toast.intent !== 'error');
  publish([...toasts.filter((toast) => toast !== oldest), { ...input, id }]);
  resumeToast(id);
  return id;
}

/** Removes a toast, if it still exists. */
export function closeToast(id: number): void {
  pauseToast(id);
  if (toasts.some((toast) => toast.id === id)) publish(toasts.filter((toast) => toast.id !== id));
}

/** Pauses the timeout while the toast is hovered or focused. */
export function pauseToast(id: number): void {
  clearTimeout(timers.get(id));
  timers.delete(id);
}

/** Restarts the 5 s timeout. */
export function resumeToast(id: number): void {
  const toast = toasts.find((one) => one.id === id);
  if (!toast || toast.intent === 'error' || toast.stays) return;
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
