/** A security tool whose exceptions are asked for: the exceptions screen takes it when it comes to the front. */
import { create } from 'zustand';
import { openTab } from './tabs.ts';

const useStore = create<{ tool: string | null }>(() => ({ tool: null }));

/** The tool that waits to be shown; the screen calls `takeExceptionsTool` when it has it. */
export const useExceptionsTool = (): string | null => useStore(({ tool }) => tool);

export function takeExceptionsTool(): string | null {
  const { tool } = useStore.getState();
  useStore.setState({ tool: null });
  return tool;
}

/** Opens the exceptions of one tool, by the service's name of it. */
export function openExceptionsOf(tool: string): void {
  useStore.setState({ tool });
  openTab({ screen: 'exceptions' });
}
