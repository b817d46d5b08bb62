import { Button } from '@blueprintjs/core';
import { ArrowLeft, ArrowRight } from '@blueprintjs/icons';
import { type JSX, useEffect, useRef } from 'react';
import { useConnection } from '#renderer/state/connection.ts';
import { useHotkeys } from '#renderer/state/hotkeys.ts';
import { dismissKeeping, keepOffline, stopKeeping, useKeeping } from '#renderer/state/keep-offline.ts';
import { type ListPlace, listPlace, type Neighbour, useListPlace } from '#renderer/state/neighbours.ts';
import { fetchEmailPages } from '#renderer/state/profile-pages.ts';
import { useTab } from '#renderer/state/tab-context.ts';
import { goInTab, stepInTab, useTabHistory } from '#renderer/state/tab-history.ts';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { showToast } from '#renderer/ui/toaster.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import { exact } from '#shared/model/format.ts';

async function neighbourAt(
  place: ListPlace,
  step: 1 | -1,
): Promise<{ email: Neighbour; place: ListPlace } | null> {
  const { source } = place;
  for (let index = place.index + step; index >= 0 && index < source.count; index += step) {
    const [email] = await source.rows(index, index + 1);
    if (email === undefined) return null;
    // Several clicks of one email stand one after another.
    if (email !== null) return { email, place: { source, index } };
  }
  return null;
}

/** J and K go on in the list that the profile was opened from; Alt and an arrow go back and forward. */
export function useWalk(tabId: string): ListPlace | null {
  const place = useListPlace(tabId);
  // Keys come faster than rows: each step starts where the one before ended.
  const steps = useRef(Promise.resolve());
  const step = (by: 1 | -1) => {
    steps.current = steps.current.then(() => walk(by));
  };
  const walk = async (by: 1 | -1) => {
    const from = listPlace(tabId);
    if (from === null) return;
    try {
      const next = await neighbourAt(from, by);
      if (next === null) {
        showToast({
          intent: 'info',
          title: by === 1 ? 'That was the last email' : 'That was the first email',
        });
        return;
      }
      const { saas, entityId, title } = next.email;
      goInTab(tabId, from, {
        route: { screen: 'email', saas, entityId, ...(title ? { title } : {}) },
        title: title ?? 'Email',
        place: next.place,
      });
    } catch (error) {
      showToast({ intent: 'error', title: 'No next email', detail: toBridgeError(error).message });
    }
  };
  useHotkeys(
    [
      { keys: ['J'], text: 'Next email of the results', group: 'Triage', run: () => step(1) },
      { keys: ['K'], text: 'Email before in the results', group: 'Triage', run: () => step(-1) },
    ],
    place !== null,
  );
  useHotkeys([
    {
      keys: ['Alt+ArrowLeft'],
      text: 'Back in this tab',
      inInputs: true,
      run: () => stepInTab(tabId, 'back', place),
    },
    {
      keys: ['Alt+ArrowRight'],
      text: 'Forward in this tab',
      inInputs: true,
      run: () => stepInTab(tabId, 'forward', place),
    },
  ]);
  return place;
}

/** Asks ahead for the emails before and after, when this one is there. */
export function usePrefetch(place: ListPlace | null, ready: boolean): void {
  const { isActive } = useTab();
  const { connection, reach } = useConnection();
  const connectionId = connection?.id ?? null;
  const product = connection?.product ?? '';
  const on = ready && isActive && reach === 'online';
  useEffect(() => {
    if (!on || place === null || connectionId === null) return undefined;
    const abort = new AbortController();
    const fetch = async () => {
      for (const step of [1, -1] as const) {
        const next = await neighbourAt(place, step);
        if (next) await fetchEmailPages(connectionId, next.email, product, abort.signal);
      }
    };
    // What could not be had ahead is asked for, and told, when it is looked at.
    fetch().catch(() => undefined);
    return () => abort.abort();
  }, [on, place, connectionId, product]);
}

/** Back and forward; shown once there is somewhere to go. */
export function HistoryButtons({ tabId }: { tabId: string }): JSX.Element | null {
  const { back, forward } = useTabHistory(tabId);
  const place = useListPlace(tabId);
  if (back.length === 0 && forward.length === 0) return null;
  return (
    <span className="em-history">
      <IconButton
        small
        icon={<ArrowLeft size={14} />}
        label={`Back${back.length > 0 ? `: ${back.at(-1)?.title}` : ''}`}
        shortcut="Alt ←"
        disabled={back.length === 0}
        onClick={() => stepInTab(tabId, 'back', place)}
      />
      <IconButton
        small
        icon={<ArrowRight size={14} />}
        label={`Forward${forward.length > 0 ? `: ${forward[0]?.title}` : ''}`}
        shortcut="Alt →"
        disabled={forward.length === 0}
        onClick={() => stepInTab(tabId, 'forward', place)}
      />
    </span>
  );
}

export const KEEP_MOST = 200;

/** Starts keeping the emails from this one on. */
export const keepFrom = (place: ListPlace): void => void keepOffline(place.source, place.index, KEEP_MOST);

/** How far the queue of emails to keep offline has come; null when none was asked for. */
export function KeepingBar(): JSX.Element | null {
  const keeping = useKeeping();
  if (keeping === null) return null;
  const { state, done, total, incomplete } = keeping;
  const missing = incomplete > 0 ? `, ${exact(incomplete)} not whole` : '';
  const words = {
    running: `Keeping ${exact(done)} of ${exact(total)} emails for offline${missing}`,
    done: `${exact(total)} emails kept for offline${missing}`,
    stopped: `Stopped: ${exact(done)} of ${exact(total)} emails are kept for offline${missing}`,
  }[state];
  return (
    <div className="em-keeping" role="status">
      {state === 'running' ? <progress max={total} value={done} aria-label="Kept for offline" /> : null}
      <span className={incomplete > 0 || state === 'stopped' ? 'pp-caution' : 'pp-t2'}>{words}</span>
      <Button
        size="small"
        variant="minimal"
        text={state === 'running' ? 'Stop' : 'Close'}
        onClick={state === 'running' ? stopKeeping : dismissKeeping}
      />
    </div>
  );
}
