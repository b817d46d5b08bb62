import { useCallback, useState } from 'react';
import { openEmail } from '#renderer/state/navigation.ts';
import type { NewQuery } from '#shared/model/entities.ts';
import { EVERY_APP } from '../query-run.ts';
import type { Peeked } from './peek-panel.tsx';
import type { ResultRow } from './result-columns.tsx';

export interface Peek {
  peeked: Peeked | null;
  peek: (row: ResultRow, at: number) => void;
  /** Space: shows the row, or hides it when it is on show. */
  toggle: (row: ResultRow, at: number) => void;
  close: () => void;
  /** The profile of a row; nothing for entities that have none here. */
  open: (row: ResultRow) => void;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The row in the peek panel, and opening rows. */
export function usePeek(query: NewQuery, index: ReadonlyMap<string, number>): Peek {
  const [peeked, setPeeked] = useState<Peeked | null>(null);
  const { domain, saas: querySaas } = query;
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
    (row: ResultRow) => {
      const cell = (id: string) => textOf(row.cells[index.get(id) ?? -1]);
      const saas = cell('saas') ?? peekedSaas ?? querySaas ?? EVERY_APP;
      // A click is about an email: its profile is what there is to open.
      const id = domain === 'email' ? row.id : domain === 'click' ? cell('email_id') : undefined;
      if (id !== undefined) openEmail(saas, id, cell('subject'));
    },
    [index, domain, querySaas, peekedSaas],
  );
  return { peeked, peek, toggle, close, open };
}
