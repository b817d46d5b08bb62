/** Signals that another screen came to the front, or a global hotkey was pressed in a menu: floating layers must close. */
const listeners = new Set<() => void>();

export function onFrontChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function tellFrontChange(): void {
  for (const listener of [...listeners]) listener();
}
