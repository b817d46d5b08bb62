/** React components in a DOM without a browser (`// @vitest-environment happy-dom` at the top of the test). */
import { act, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { soon } from './soon.ts';

declare global {
  // React requires it for flushing effects in tests.
  var IS_REACT_ACT_ENVIRONMENT: boolean | undefined;
}

/** Renders a node, runs its effects and lets settled promises continue. */
export async function mount(node: ReactNode) {
  globalThis.IS_REACT_ACT_ENVIRONMENT = true;
  const container = document.createElement('div');
  document.body.append(container);
  const root = createRoot(container);
  const draw = (next: ReactNode) => act(async () => root.render(next));
  await draw(node);
  return {
    container,
    draw,
    async unmount() {
      await act(async () => root.unmount());
      container.remove();
    },
  };
}

/** Runs an action and waits for the rendering that follows. */
export const doing = async (change: () => unknown): Promise<void> => {
  await act(async () => {
    await change();
  });
};

/** Waits until the check passes. A rendering that comes meanwhile is drawn: one `doing` around it all would hold it back. */
export const whenDrawn = (check: () => void): Promise<void> =>
  soon(async () => {
    await doing(() => undefined);
    check();
  });
