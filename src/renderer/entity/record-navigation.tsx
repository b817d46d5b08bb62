import { ArrowLeft, ArrowRight } from '@blueprintjs/icons';
import { type JSX, useEffect, useRef } from 'react';
import { readOnce } from '#renderer/bridge/use-read.ts';
import { useCommands } from '#renderer/commands/command.tsx';
import { cap, hint, RECORD, recordMoves } from '#renderer/commands/keys.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { profileRoute } from '#renderer/state/navigation.ts';
import { type ListPlace, listPlace, type Neighbour, useListPlace } from '#renderer/state/neighbours.ts';
import { attempt } from '#renderer/state/show-failure.ts';
import { useTab, useTabStatus } from '#renderer/state/tab-context.ts';
import { goInTab, goToList, stepInTab, useTabHistory } from '#renderer/state/tab-history.ts';
import { setTabTitle } from '#renderer/state/tabs.ts';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import type { Hint } from '#renderer/ui/kbd.tsx';
import { showToast } from '#renderer/ui/toaster.ts';
import { type ProfileRef, profilePages } from '#shared/api/profile-pages.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import { exact, visibleText } from '#shared/model/format.ts';
import './entity.css';

/**
 * Fetches all parts of one profile, one after another, so that requests of the screen go first. A part that fails is
 * fetched again, and its error shown, when the profile is opened; rejects only when cancelled.
 */
async function fetchProfile(
  connectionId: string,
  profile: ProfileRef,
  product: string,
  signal: AbortSignal,
): Promise<void> {
  for (const { endpoint, request } of profilePages(profile, product)) {
    signal.throwIfAborted();
    try {
      await readOnce(windowBridge(), connectionId, endpoint, request, { signal });
    } catch (reason) {
      if (signal.aborted || toBridgeError(reason).code === 'cancelled') throw reason;
    }
  }
}

interface RecordHints {
  alone: readonly Hint[];
  listed: readonly Hint[];
}

const MOVES = recordMoves('profile');
export const recordHints = (hints: readonly Hint[]): RecordHints => ({
  alone: hints,
  listed: [hint('next, previous', MOVES.next, MOVES.previous), ...hints],
});

async function neighbourAt(
  place: ListPlace,
  step: 1 | -1,
): Promise<{ profile: Neighbour; place: ListPlace } | null> {
  const { source } = place;
  for (let index = place.index + step; index >= 0 && index < source.count; index += step) {
    const [profile] = await source.rows(index, index + 1);
    if (profile === undefined) return null;
    // Rows without a profile are skipped.
    if (profile !== null) return { profile, place: { source, index } };
  }
  return null;
}

/** J and K move through the list that the profile was opened from; Alt and an arrow go back and forward. */
function useRecordNavigation(tabId: string, noun: string): ListPlace | null {
  const place = useListPlace(tabId);
  // Keys may come faster than rows load: each step starts where the previous one ended.
  const steps = useRef(Promise.resolve());
  const step = (by: 1 | -1) => {
    steps.current = steps.current.then(() => walk(by));
  };
  const walk = async (by: 1 | -1) => {
    const from = listPlace(tabId);
    if (from === null) return;
    await attempt(`Couldn’t load the next ${noun}`, async () => {
      const next = await neighbourAt(from, by);
      if (next === null) {
        showToast({
          intent: 'info',
          title: `This is the ${by === 1 ? 'last' : 'first'} ${noun}`,
        });
        return;
      }
      const { profile } = next;
      goInTab(tabId, from, {
        route: profileRoute(profile),
        title: profile.title ?? noun.charAt(0).toUpperCase() + noun.slice(1),
        place: next.place,
      });
    });
  };
  const { next, previous } = recordMoves(noun);
  useCommands(
    [
      { ...next, run: () => step(1) },
      { ...previous, run: () => step(-1) },
    ],
    place !== null,
  );
  useCommands([
    { ...RECORD.back, run: () => stepInTab(tabId, 'back', place) || goToList(place) },
    { ...RECORD.forward, run: () => stepInTab(tabId, 'forward', place) },
  ]);
  return place;
}

/** Prefetches the next and the previous profile once this one is loaded. */
function usePrefetch(place: ListPlace | null, ready: boolean): void {
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
        if (next) await fetchProfile(connectionId, next.profile, product, abort.signal);
      }
    };
    // A prefetch that fails is repeated, and its error shown, when the profile is opened.
    fetch().catch(() => undefined);
    return () => abort.abort();
  }, [on, place, connectionId, product]);
}

/** The status bar's position in the list, and the keys that move in it. */
function useRecordStatus(place: ListPlace | null, noun: string, hints: RecordHints): void {
  useTabStatus({
    hints: place === null ? hints.alone : hints.listed,
    ...(place === null
      ? {}
      : {
          message: `${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${exact(place.index + 1)} of ${exact(place.source.count)} from “${place.source.label}”`,
        }),
  });
}

/**
 * A profile in its tab, and its place in the list that it was opened from. Without a title the tab keeps its own; once
 * `isRead`, its neighbours are prefetched.
 */
export function useRecord(
  tabId: string,
  noun: string,
  title: string | null | undefined,
  isRead: boolean,
  hints: RecordHints,
): ListPlace | null {
  useEffect(() => setTabTitle(tabId, visibleText(title ?? '').slice(0, 120)), [tabId, title]);
  const place = useRecordNavigation(tabId, noun);
  usePrefetch(place, isRead);
  useRecordStatus(place, noun, hints);
  return place;
}

/** Back and forward; shown once there is somewhere to go. */
export function HistoryButtons({ tabId }: { tabId: string }): JSX.Element | null {
  const { back, forward } = useTabHistory(tabId);
  const place = useListPlace(tabId);
  if (back.length === 0 && forward.length === 0) return null;
  return (
    <span className="en-history">
      <IconButton
        small
        icon={<ArrowLeft size={14} />}
        label={`Back${back.length > 0 ? `: ${back.at(-1)?.title}` : ''}`}
        shortcut={cap(RECORD.back)}
        disabled={back.length === 0}
        onClick={() => stepInTab(tabId, 'back', place)}
      />
      <IconButton
        small
        icon={<ArrowRight size={14} />}
        label={`Forward${forward.length > 0 ? `: ${forward[0]?.title}` : ''}`}
        shortcut={cap(RECORD.forward)}
        disabled={forward.length === 0}
        onClick={() => stepInTab(tabId, 'forward', place)}
      />
    </span>
  );
}
