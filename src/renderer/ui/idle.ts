/** Runs work once the window is idle. Returns the cancel. Safari has no idle callbacks: there it runs as soon as it can. */
export function whenIdle(work: () => void): () => void {
  if (typeof window.requestIdleCallback === 'function') {
    const idle = window.requestIdleCallback(work);
    return () => window.cancelIdleCallback(idle);
  }
  const soon = setTimeout(work);
  return () => clearTimeout(soon);
}
