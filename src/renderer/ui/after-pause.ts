/** Runs it after a pause; returns what cancels it, by its signal if it runs already. */
export function afterPause(ms: number, run: (signal: AbortSignal) => void): () => void {
  const controller = new AbortController();
  const timer = setTimeout(() => run(controller.signal), ms);
  return () => {
    clearTimeout(timer);
    controller.abort();
  };
}
