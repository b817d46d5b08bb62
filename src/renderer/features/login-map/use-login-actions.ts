import { useMemo, useRef } from 'react';
import { useEntityActions } from '#renderer/state/entity-actions.ts';
import type { EntityActions, EntityRef } from '#renderer/ui/entity-value.tsx';

/** The window's actions for values, with filtering on the map instead of a query. */
export function useLoginActions(filter: (entity: EntityRef, out: boolean) => void): EntityActions {
  const outer = useEntityActions();
  const latest = useRef(filter);
  latest.current = filter;
  return useMemo(
    () => ({
      ...outer,
      canMap: () => false,
      filterFor: (entity) => latest.current(entity, false),
      filterOut: (entity) => latest.current(entity, true),
    }),
    [outer],
  );
}
