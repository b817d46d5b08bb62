/** Whether Parapet itself answers this window. A service that does not is another matter (connection.ts). */
import { create } from 'zustand';
import type { Connected } from '#renderer/bridge/connect.ts';
import { flushWorkspace } from './workspace.ts';

const ASK_EVERY_MS = 1000;
/** Without an answer for so long, what is shown as current may not be. */
const SILENT_AFTER_MS = 5000;

export type WireHealth =
  | { phase: 'answers' }
  /** Asked at `since`, and not answered. */
  | { phase: 'silent'; since: number }
  /** The wire has ended. restarted: something answers at its place, which does not know this window yet. */
  | { phase: 'lost'; since: number; restarted: boolean };

const ANSWERS: WireHealth = { phase: 'answers' };
const useStore = create<{ health: WireHealth }>(() => ({ health: ANSWERS }));
const backHandlers = new Set<() => void>();

export const useWireHealth = (): WireHealth => useStore(({ health }) => health);

/** Hears that a wire which was lost is open again: what was subscribed to is gone, what is shown may be old. */
export function onWireBack(handler: () => void): () => void {
  backHandlers.add(handler);
  return () => {
    backHandlers.delete(handler);
  };
}

const phaseNow = (): WireHealth['phase'] => useStore.getState().health.phase;

/** One question at a time: the next a second after the answer. */
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
