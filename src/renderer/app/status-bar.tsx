import type { JSX } from 'react';
import { oldestWaiting } from '#renderer/bridge/read-store.ts';
import { hint } from '#renderer/commands/keys.ts';
import { WINDOW } from '#renderer/commands/window-commands.ts';
import { useCacheStats } from '#renderer/state/app-info.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { useStatusOf } from '#renderer/state/tab-context.ts';
import { useTabs } from '#renderer/state/tabs.ts';
import { useWireHealth } from '#renderer/state/wire-health.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { GlyphArc, GlyphDot, GlyphError, GlyphSaved } from '#renderer/ui/glyphs.tsx';
import { Hints } from '#renderer/ui/kbd.tsx';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { useNow } from '#renderer/ui/use-now.ts';
import type { ConnectionState } from '#shared/bridge/operations.ts';
import { timeOfDay, zoneAt } from '#shared/model/clock.ts';
import { bytes, exact } from '#shared/model/format.ts';

/** After this long, the status bar says that the window is waiting for the service. */
const SLOW_MS = 3000;

function Reach({ state }: { state: ConnectionState }): JSX.Element {
  const clock = useClock();
  const health = useWireHealth();
  const now = useNow('second');
  // While Parapet does not answer, its last report on the service may be out of date.
  if (health.phase !== 'answers')
    return (
      <span className="pp-fresh pp-fresh-failed">
        <GlyphError />
        Parapet does not answer · since {timeOfDay(health.since, clock)}
      </span>
    );
  const waiting = state.phase === 'online' ? oldestWaiting() : null;
  if (waiting !== null && now - waiting > SLOW_MS)
    return (
      <span className="pp-fresh pp-fresh-loading">
        <GlyphArc />
        Waiting for the service · {exact(Math.round((now - waiting) / 1000))} s
      </span>
    );
  const since = `${timeOfDay(state.since, clock).slice(0, 5)} ${zoneAt(state.since, clock)}`;
  switch (state.phase) {
    case 'online':
      return (
        <span className="pp-fresh pp-fresh-now">
          <GlyphDot />
          Connected{state.latencyMs === null ? '' : ` · ${Math.round(state.latencyMs)} ms`}
        </span>
      );
    case 'starting':
      return (
        <span className="pp-fresh pp-fresh-loading">
          <GlyphArc />
          Starting service
        </span>
      );
    case 'failed':
      return (
        <span className="pp-fresh pp-fresh-failed" title={state.error?.message}>
          <GlyphError />
          Not connected
        </span>
      );
    case 'none':
      return <span className="pp-t3">No connection</span>;
    default:
      return (
        <span className="pp-fresh pp-fresh-offline">
          <GlyphSaved />
          Offline since {since} · showing saved data
        </span>
      );
  }
}

export function StatusBar(): JSX.Element {
  const { state } = useConnection();
  const { message, hints } = useStatusOf(useTabs((store) => store.active));
  const cache = useCacheStats();
  return (
    <footer className="pp-status-bar">
      <span role="status" className="pp-status-reach">
        <Reach state={state} />
      </span>
      {message ? <span className="pp-ellipsis pp-t2">{message}</span> : null}
      <span className="pp-spacer" />
      {hints ? <Hints hints={hints.filter(({ keys }) => keys !== '?')} /> : null}
      <LinkButton className="pp-status-keys" onClick={WINDOW.shortcuts.run}>
        <Hints hints={[hint('shortcuts', WINDOW.shortcuts)]} />
      </LinkButton>
      {cache ? (
        <span className="pp-status-cache" title="Cache size and limit">
          Cache {bytes(cache.bytes)} of {bytes(cache.budgetBytes)}
        </span>
      ) : null}
    </footer>
  );
}
