/** A payload handed to a screen together with its route: consumed once, when its tab is in front. Not persisted. */
import { useEffect } from 'react';
import { create } from 'zustand';
import type { EntityRef } from '#renderer/ui/entity-value.tsx';
import type { Severity } from '#shared/model/enums.ts';
import type { ConditionGroup } from '#shared/query/tree.ts';
import { openScreen } from './navigation.ts';
import { useTab } from './tab-context.ts';

export interface ExceptionPrefill {
  /** Kind of value, and the query field that contains it. */
  value: EntityRef;
  /** The entity it comes from. */
  from: { type: 'email' | 'file'; entityId: string; title: string } | null;
}

export interface ExceptionSelection {
  /** Null if the service makes no entries of such entities, only of their values. */
  entityType: 'email' | 'file' | null;
  /** The rows' entities, each once. */
  entityIds: readonly string[];
  /** Distinct values of the rows by query field, in row order. */
  values: Readonly<Record<string, readonly string[]>>;
}

export interface RulePrefill {
  name?: string;
  severity?: Severity;
  sentence?: string;
  condition?: ConditionGroup;
}

interface Payloads {
  /** The list of one tool (by the service's name of it), a new entry of a value, or entries of selected rows. */
  exceptions: { tool: string } | { prefill: ExceptionPrefill } | { selection: ExceptionSelection };
  'login-map': { part: 'users' | 'ips'; value: string };
  kept: { text: string };
  rules: RulePrefill;
}

const useStore = create<Partial<Payloads>>(() => ({}));

/** Opens a screen, or activates it, with a payload. */
export function openWith<S extends keyof Payloads>(screen: S, payload: Payloads[S]): void {
  useStore.setState({ [screen]: payload });
  openScreen(screen);
}

/** Passes the payload of this screen to `take`, once its tab is in front and the screen is `ready`. */
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
