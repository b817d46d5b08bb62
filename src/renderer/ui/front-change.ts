/** Another screen came to the front: what floats over the one before goes with it. */
const listeners = new Set<() => void>();

export function onFrontChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function tellFrontChange(): void {
  for (const listener of [...listeners]) listener();
}
