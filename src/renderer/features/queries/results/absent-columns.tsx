import { Button } from '@blueprintjs/core';
import type { JSX } from 'react';
import type { Columns } from './use-columns.ts';

const namesOf = (columns: Columns['absent']): string => columns.map(({ label }) => label).join(', ');

/** Columns that should show and do not: they are not in a file of these rows either. */
export function AbsentColumns(props: {
  absent: Columns['absent'];
  running: boolean;
  onRun: () => void;
}): JSX.Element | null {
  const { absent, running, onRun } = props;
  const later = absent.filter(({ known }) => known);
  const unknown = absent.filter(({ known }) => !known);
  if (running || absent.length === 0) return null;
  return (
    <div className="pp-caution-bar pp-absent-columns" role="status">
      <span>
        Not shown and not exported:{' '}
        {later.length > 0 ? `${namesOf(later)}, which these rows were fetched without. ` : ''}
        {unknown.length > 0 ? `${namesOf(unknown)}, which the service does not know.` : ''}
      </span>
      {later.length > 0 ? <Button size="small" text="Run again" onClick={onRun} /> : null}
    </div>
  );
}
