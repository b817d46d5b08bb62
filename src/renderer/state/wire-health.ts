/** Whether Parapet itself answers this window; connection.ts covers the service. */
import { create } from 'zustand';
import type { Connected } from '#renderer/bridge/connect.ts';
import { flushWorkspace } from './workspace.ts';

const ASK_EVERY_MS = 1000;
/** After this long without an answer, the data shown may be out of date. */
const SILENT_AFTER_MS = 5000;

export type WireHealth =
  | { phase: 'answers' }
  /** Asked at `since`, and not answered. */
  | { phase: 'silent'; since: number }
  /** The wire was closed. If `restarted`, a new run answers at the same address but does not know this window yet. */
  | { phase: 'lost'; since: number; restarted: boolean };

const ANSWERS: WireHealth = { phase: 'answers' };
const useStore = create<{ health: WireHealth }>(() => ({ health: ANSWERS }));
const backHandlers = new Set<() => void>();

export const useWireHealth = (): WireHealth => useStore(({ health }) => health);

/** Notifies that a lost wire is open again: subscriptions are gone, and data may be outdated. */
export function onWireBack(handler: () => void): () => void {
  backHandlers.add(handler);
  return () => {
    backHandlers.delete(handler);
  };
}

const phaseNow = (): WireHealth['phase'] => useStore.getState().health.phase;

/** One ping at a time, the next one a second after the answer. */
async function ask({ bridge }: Pick<Connected, 'bridge'>): Promise<void> {
  const since = Date.now();
  const late = setTimeout(() => {
    if (phaseNow() === 'answers') useStore.setState({ health: { phase: 'silent', since } });
  }, SILENT_AFTER_MS);
  const answered = await bridge.call('app.ping', {}).then(
    () => true,
    () => false,
  );
  clearTimeout(late);
  if (answered && phaseNow() === 'silent') useStore.setState({ health: ANSWERS });
  setTimeout(() => void ask({ bridge }), ASK_EVERY_MS);
}

/** Follows the wire for as long as the window lives. */
export function startWireHealth({ bridge, wire }: Connected): void {
  void ask({ bridge });
  wire?.onClose(() => useStore.setState({ health: { phase: 'lost', since: Date.now(), restarted: false } }));
  wire?.onLost((lost) => {
    const { health } = useStore.getState();
    if (health.phase === 'lost')
      useStore.setState({ health: { ...health, restarted: lost === 'restarted' } });
  });
  wire?.onOpen(() => {
    useStore.setState({ health: ANSWERS });
    for (const handler of backHandlers) handler();
    void flushWorkspace();
  });
}
