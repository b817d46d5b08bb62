import { useMemo } from 'react';
import { zoneLabel } from '#shared/model/clock.ts';
import { useClock } from '../clock-context.ts';
import type { GridColumn } from './grid-columns.tsx';

/** The columns with the time zone in the label of each that shows times. */
export function useZoned<T>(columns: readonly GridColumn<T>[]): readonly GridColumn<T>[] {
  const zone = zoneLabel(useClock());
  return useMemo(
    () =>
      columns.map((column) =>
        column.type === 'time' ? { ...column, label: `${column.label} (${zone})` } : column,
      ),
    [columns, zone],
  );
}
