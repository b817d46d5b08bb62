import { useCallback, useRef, useState } from 'react';
import { openProfile } from '#renderer/state/navigation.ts';
import { type NeighbourSource, setListPlace } from '#renderer/state/neighbours.ts';
import type { NewQuery } from '#shared/model/entities.ts';
import { EVERY_APP } from '../query-run.ts';
import type { Peeked } from './peek-panel.tsx';
import { profileOf } from './profile-list.ts';
import type { ResultRow } from './result-columns.tsx';

export interface Peek {
  peeked: Peeked | null;
  peek: (row: ResultRow, at: number) => void;
  /** Space: shows the row, or hides it when it is on show. */
  toggle: (row: ResultRow, at: number) => void;
  close: () => void;
  /** The profile of a row; nothing for entities that have none here. */
  open: (row: ResultRow, at?: number | null) => void;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The row in the peek panel, and opening rows. */
export function usePeek(
  query: NewQuery,
  index: ReadonlyMap<string, number>,
  list: () => NeighbourSource,
): Peek {
  const [peeked, setPeeked] = useState<Peeked | null>(null);
  const { saas: querySaas } = query;
  const listNow = useRef(list);
  listNow.current = list;
  const peek = useCallback(
    (row: ResultRow, at: number) => {
      const values = Object.fromEntries([...index].map(([id, cell]) => [id, row.cells[cell] ?? null]));
      setPeeked({ id: row.id, saas: textOf(values['saas']) ?? querySaas ?? EVERY_APP, index: at, values });
    },
    [index, querySaas],
  );
  const close = useCallback(() => setPeeked(null), []);
  const toggle = (row: ResultRow, at: number) => (peeked?.id === row.id ? close() : peek(row, at));
  const peekedSaas = peeked?.saas;
  const open = useCallback(
    (row: ResultRow, at: number | null = null) => {
      const profile = profileOf(row, query, index, peekedSaas);
      if (profile === null) return;
      const tabId = openProfile(profile);
      setListPlace(tabId, at === null ? null : { source: listNow.current(), index: at });
    },
    [query, index, peekedSaas],
  );
  return { peeked, peek, toggle, close, open };
}
