import { useEffect, useMemo, useState } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { useBranding } from '#renderer/entity/use-entity-stack.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { onOtherWindow } from '#renderer/state/other-windows.ts';
import { loadValue, saveValue } from '#renderer/state/workspace.ts';
import type { AppStatistics } from '#shared/model/entities.ts';
import {
  type CatalogueFilter,
  facetsOf,
  inOrder,
  itemOf,
  moved,
  NO_FILTER,
  type OrderName,
  shown,
  stepped,
} from './catalogue.ts';

export type StatisticsWindow = '24h' | '7d' | '30d';
const NOBODY: readonly string[] = [];

/** The analyst's own order of the security stack, kept per connection on this machine. */
function usePersonalOrder(connectionId: string | null) {
  const [catalogue, setCatalogue] = useState<{ of: string | null; names: readonly string[] }>({
    of: null,
    names: NOBODY,
  });
  useEffect(() => {
    if (connectionId === null) return undefined;
    let isCurrent = true;
    const take = (names: readonly string[] | null) => {
      if (isCurrent) setCatalogue({ of: connectionId, names: names ?? NOBODY });
    };
    loadValue('stack-order', connectionId).then(take, () => undefined);
    const end = onOtherWindow('stack-order', (id, names) => {
      if (id === connectionId) take(names);
    });
    return () => {
      isCurrent = false;
      end();
    };
  }, [connectionId]);
  const names = catalogue.of === connectionId ? catalogue.names : NOBODY;
  const save = (next: readonly string[] | null) => {
    if (connectionId === null) return;
    setCatalogue({ of: connectionId, names: next ?? NOBODY });
    saveValue('stack-order', connectionId, next === null ? null : [...next]);
  };
  return { names, save };
}

/** State of the screen: ordered items, facets, counts, and functions to change the order. */
export function useCatalogue() {
  const { connection } = useConnection();
  const branding = useBranding();
  const apps = useRead('apps.list', {});
  const [window, setWindow] = useState<StatisticsWindow>('7d');
  const statistics = useRead('apps.statistics', { query: { window, tools: true } });
  const [order, setOrder] = useState<OrderName>('stack');
  const [filter, setFilter] = useState<CatalogueFilter>(NO_FILTER);
  const personal = usePersonalOrder(connection?.id ?? null);

  const all = useMemo(
    () => (apps.data?.rows ?? []).map((app) => itemOf(app, branding)),
    [apps.data, branding],
  );
  const ordered = useMemo(() => inOrder(all, order, personal.names), [all, order, personal.names]);
  const items = useMemo(() => shown(ordered, filter), [ordered, filter]);
  const facets = useMemo(() => facetsOf(ordered, filter), [ordered, filter]);
  const counts = useMemo(
    () =>
      new Map<string, AppStatistics>(
        [...(statistics.data?.apps ?? []), ...(statistics.data?.tools ?? [])].map((app) => [app.name, app]),
      ),
    [statistics.data],
  );
  const names = ordered.map(({ app }) => app.name);
  return {
    /** A folder of mail has checks: neither licences nor a store, and counts of the last days say nothing of old mail. */
    isEvidence: connection?.kind === 'evidence',
    apps,
    statistics,
    window,
    setWindow,
    order,
    setOrder,
    filter,
    setFilter,
    product: branding.product,
    items,
    total: ordered.length,
    facets,
    counts,
    /** Whether the security stack is in the analyst's own order. */
    isPersonal: personal.names.length > 0,
    resetOrder: () => personal.save(null),
    dropBefore: (moving: string, before: string | null) => personal.save(moved(names, moving, before)),
    step: (moving: string, by: -1 | 1) => personal.save(stepped(names, moving, by)),
  };
}

export type Catalogue = ReturnType<typeof useCatalogue>;
