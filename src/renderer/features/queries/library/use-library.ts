import { useMemo, useState } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { useBranding } from '#renderer/entity/use-entity-stack.ts';
import { useFavourites, useRecentQueries } from '#renderer/state/recent.ts';
import type { Query } from '#shared/model/entities.ts';
import { saasLabel } from '#shared/model/white-label.ts';
import { useDeleting } from '../query-delete.ts';
import { EVERY_APP } from '../query-run.ts';
import { useSaasChoices } from '../use-config.ts';
import type { LibraryRow } from './library-columns.tsx';
import { type LibraryFilter, type LibraryMarks, NO_FILTER, readLibrary } from './library-facets.ts';

const NO_QUERIES: readonly Query[] = [];

export function useLibrary() {
  const list = useRead('query.list', { query: {} });
  const deleting = useDeleting();
  const favourites = useFavourites();
  const runs = useRecentQueries();
  const apps = useSaasChoices();
  const branding = useBranding();
  const [filter, setFilter] = useState<LibraryFilter>(NO_FILTER);
  const all = list.data?.queries ?? NO_QUERIES;
  const queries = useMemo(() => all.filter(({ id }) => !deleting.has(id)), [all, deleting]);
  const marks = useMemo((): LibraryMarks => {
    const labels = new Map(apps.map(({ value, label }) => [value, label]));
    return {
      favourites: new Set(favourites),
      recent: new Set(runs.flatMap(({ queryId }) => (queryId === null ? [] : [queryId]))),
      appLabel: (saas) => labels.get(saas) ?? saasLabel(saas, [], branding),
    };
  }, [favourites, runs, apps, branding]);
  const library = useMemo(() => readLibrary(queries, filter, marks), [queries, filter, marks]);
  const rows = useMemo((): LibraryRow[] => {
    const recent = new Map(runs.map((run) => [run.queryId, run]));
    return library.shown.map((query) => ({
      query,
      recent: recent.get(query.id) ?? null,
      app: marks.appLabel(query.saas || EVERY_APP),
    }));
  }, [library, runs, marks]);
  // A list that could not be loaded is an empty one with its error.
  const isKnown = list.data !== undefined && (list.error === null || all.length > 0);
  return { list, queries, isKnown, rows, facets: library.facets, filter, setFilter, marks };
}
