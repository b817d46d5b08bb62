/** Another screen came to the front, or a key of the window was pressed in a menu: what floats over a screen goes. */
const listeners = new Set<() => void>();

export function onFrontChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function tellFrontChange(): void {
  for (const listener of [...listeners]) listener();
}
