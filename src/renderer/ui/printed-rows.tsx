import { type JSX, useContext, useEffect, useState } from 'react';
import { exact } from '#shared/model/format.ts';
import { useClock } from './clock-context.ts';
import { Cell } from './grid/cells.tsx';
import type { GridColumn } from './grid/grid-columns.tsx';
import { PRINTED_ROWS, WholeContext } from './printing.ts';

const NO_DOMAINS: ReadonlySet<string> = new Set();

/** Prints the rows of a grid, because paper does not scroll; hidden on screen. */
export function PrintedRows<T>(props: {
  columns: readonly GridColumn<T>[];
  count: number;
  read: (end: number) => Promise<readonly T[]>;
}): JSX.Element | null {
  const { columns, count, read } = props;
  const whole = useContext(WholeContext);
  const clock = useClock();
  const [rows, setRows] = useState<readonly T[] | null>(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    setRows(null);
    setFailed(false);
    if (whole)
      read(Math.min(count, PRINTED_ROWS)).then(setRows, () => {
        setFailed(true);
        setRows([]);
      });
  }, [whole, count, read]);
  if (!whole) return null;
  if (rows === null) return <div data-drawing="" />;
  const shown = columns.filter(({ hidden }) => hidden !== true);
  const context = { clock, ownDomains: NO_DOMAINS };
  return (
    <div className="pp-printed">
      <table>
        <thead>
          <tr>
            {shown.map(({ id, label }) => (
              <th key={id}>{label}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index.toString()}>
              {shown.map((column) => {
                const value = column.value(row);
                return (
                  <td key={column.id}>
                    {column.notApplicable?.(row)
                      ? '–'
                      : (column.render?.(row, value) ?? (
                          <Cell value={value} type={column.type ?? 'text'} context={context} />
                        ))}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      {failed ? <p>These rows could not be read.</p> : null}
      {!failed && rows.length < count ? (
        <p>
          The first {exact(rows.length)} of {exact(count)} rows.
        </p>
      ) : null}
    </div>
  );
}
