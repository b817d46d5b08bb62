/** React components in a DOM without a browser (`// @vitest-environment happy-dom` at the top of the test). */
import { act, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';

declare global {
  // React asks for it before it lets a test flush effects.
  var IS_REACT_ACT_ENVIRONMENT: boolean | undefined;
}

/** Draws a node and what follows from it: effects, and promises that are settled already. */
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

/** Does something that changes what is drawn, and waits until it is. */
export const doing = async (change: () => unknown): Promise<void> => {
  await act(async () => {
    await change();
  });
};
