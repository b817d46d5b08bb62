/** Runs it after a pause, or at once without one; returns what cancels it, by its signal if it runs already. */
export function afterPause(ms: number, run: (signal: AbortSignal) => void): () => void {
  const controller = new AbortController();
  const timer = ms === 0 ? undefined : setTimeout(() => run(controller.signal), ms);
  if (timer === undefined) run(controller.signal);
  return () => {
    clearTimeout(timer);
    controller.abort();
  };
}
