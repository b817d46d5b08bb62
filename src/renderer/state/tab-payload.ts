/** What one screen hands to another with its route: the tab takes it once, when it is in front. Not saved with the tab. */
import { useEffect } from 'react';
import { create } from 'zustand';
import type { EntityRef } from '#renderer/ui/entity-value.tsx';
import { openScreen } from './navigation.ts';
import { useTab } from './tab-context.ts';

export interface ExceptionPrefill {
  /** What kind of value, and the query field it stands in. */
  value: EntityRef;
  /** The entity it was taken from. */
  from: { type: 'email' | 'file'; entityId: string; title: string } | null;
}

export interface ExceptionSelection {
  /** null: the service makes no entries of such entities, only of their values. */
  entityType: 'email' | 'file' | null;
  /** The rows' entities, each once. */
  entityIds: readonly string[];
  /** Values of the rows by the query field they stand in, each once, in the order of the rows. */
  values: Readonly<Record<string, readonly string[]>>;
}

interface Payloads {
  /** The list of one tool (by the service's name of it), a new entry of a value, or entries of selected rows. */
  exceptions: { tool: string } | { prefill: ExceptionPrefill } | { selection: ExceptionSelection };
  /** The sign-ins of one user or address. */
  'login-map': { part: 'users' | 'ips'; value: string };
  /** A search in what is saved for offline. */
  kept: { text: string };
}

const useStore = create<Partial<Payloads>>(() => ({}));

/** Opens a screen, or goes to it, with what it is to show. */
export function openWith<S extends keyof Payloads>(screen: S, payload: Payloads[S]): void {
  useStore.setState({ [screen]: payload });
  openScreen(screen);
}

/** Hands what was opened with this screen to `take`, once its tab is in front and the screen is `ready`. */
export function usePayload<S extends keyof Payloads>(
  screen: S,
  ready: boolean,
  take: (payload: Payloads[S]) => void,
): void {
  const { isActive } = useTab();
  const waiting = useStore((payloads) => payloads[screen]);
  useEffect(() => {
    if (!isActive || !ready || waiting === undefined || useStore.getState()[screen] !== waiting) return;
    useStore.setState({ [screen]: undefined });
    take(waiting);
  }, [screen, isActive, ready, waiting, take]);
}
