import { useEffect, useMemo, useState } from 'react';
import type { LocalFilter } from '#shared/bridge/operations.ts';

const SEARCH_MS = 150;

export interface FilterState {
  /** What the search box holds; the filter follows a moment later. */
  typed: string;
  setTyped: (text: string) => void;
  filter: LocalFilter;
  setFacets: (facets: LocalFilter['facets']) => void;
  clear: () => void;
}

/** A filter on the rows that are here: words and facet values. */
export function useFilter(): FilterState {
  const [typed, setTyped] = useState('');
  const [text, setText] = useState('');
  const [facets, setFacets] = useState<LocalFilter['facets']>({});
  useEffect(() => {
    const timer = setTimeout(() => setText(typed), SEARCH_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const filter = useMemo<LocalFilter>(() => ({ text, facets }), [text, facets]);
  return {
    typed,
    setTyped,
    filter,
    setFacets,
    clear: () => {
      setTyped('');
      setText('');
      setFacets({});
    },
  };
}
