import { type JSX, useCallback, useState } from 'react';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { EntityValue } from '#renderer/ui/entity-value.tsx';
import { useSize } from '#renderer/ui/use-size.ts';
import type { Ranked } from '#shared/logins/summary.ts';
import { exact, visibleText } from '#shared/model/format.ts';
import type { Part } from './filter-state.ts';
import { PART_LABELS, PART_NOUNS } from './labels.ts';
import { useRowKeys } from './use-row-keys.ts';
import { useRowsInView } from './use-rows-in-view.ts';

/** Heights of a row and of the header in px; must match the style sheet. */
const ROW = 28;

interface RankedListProps {
  part: Part;
  count: number;
  /** Requests a range of values, most logins first; changes with each summary. */
  ranked: (part: Part, start: number, end: number) => Promise<Ranked[]>;
  chosen: readonly string[] | undefined;
  onToggle: (value: string) => void;
}

const KINDS: Readonly<Record<Part, string>> = { users: 'email', countries: 'country', ips: 'ip' };
const regions = new Intl.DisplayNames('en-GB', { type: 'region', fallback: 'none' });

function countryName(code: string): string | null {
  try {
    return /^[A-Z]{2}$/.test(code) ? (regions.of(code) ?? null) : null;
  } catch {
    return null;
  }
}

/**
 * All values of one column ranked by their logins under the other filters; only rows in view are drawn. Checking one
 * filters.
 */
export function RankedList({ part, count, ranked, chosen, onToggle }: RankedListProps): JSX.Element {
  const [ref, { height }] = useSize();
  const [top, setTop] = useState(0);
  const keys = useRowKeys({ scroller: ref, count, rowHeight: ROW, head: ROW });
  const ask = useCallback((start: number, end: number) => ranked(part, start, end), [ranked, part]);
  const first = Math.min(Math.floor(top / ROW), Math.max(0, count - 1));
  const last = Math.min(count, first + Math.ceil(height / ROW) + 1);
  const rowAt = useRowsInView(ask, first, last);
  const most = useMost(ask);
  const word = PART_LABELS[part];
  const shown = Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index);
  return (
    <div ref={ref} className="pp-ranked-scroll" onScroll={(event) => setTop(event.currentTarget.scrollTop)}>
      {count === 0 ? (
        <EmptyState
          small
          title="No values"
          reason={`No login in this filter has a known ${PART_NOUNS[part]}.`}
        />
      ) : (
        <table className={`pp-ranked pp-ranked-${part}`} aria-rowcount={count + 1}>
          <thead>
            <tr>
              <th scope="col">
                <span className="pp-visually-hidden">Filter</span>
              </th>
              <th scope="col">{word}</th>
              <th scope="col" className="pp-num">
                Logins
              </th>
            </tr>
          </thead>
          <tbody>
            <Spacer rows={first} />
            {shown.map((index) => {
              const row = rowAt(index);
              return row === undefined ? (
                <Spacer key={index} rows={1} />
              ) : (
                <RankedRow
                  key={index}
                  at={index}
                  part={part}
                  row={row}
                  most={most}
                  keys={keys}
                  isChosen={chosen?.includes(row.value) ?? false}
                  onToggle={onToggle}
                />
              );
            })}
            <Spacer rows={count - last} />
          </tbody>
        </table>
      )}
    </div>
  );
}

/** Logins of the top value, which is the full length of a bar. */
function useMost(ask: (start: number, end: number) => Promise<Ranked[]>): number {
  return useRowsInView(ask, 0, 1)(0)?.logins ?? 1;
}

const Spacer = ({ rows }: { rows: number }): JSX.Element | null =>
  rows <= 0 ? null : (
    <tr>
      <td colSpan={3} style={{ height: rows * ROW }} />
    </tr>
  );

interface RankedRowProps {
  at: number;
  part: Part;
  row: Ranked;
  most: number;
  keys: ReturnType<typeof useRowKeys>;
  isChosen: boolean;
  onToggle: (value: string) => void;
}

function RankedRow({ at, part, row, most, keys, isChosen, onToggle }: RankedRowProps): JSX.Element {
  const { value, logins, rarest } = row;
  return (
    <tr aria-rowindex={at + 2} className={isChosen ? 'pp-ranked-chosen' : undefined}>
      <td>
        <input
          type="checkbox"
          data-at={at}
          tabIndex={at === keys.at ? 0 : -1}
          onFocus={() => keys.onFocus(at)}
          onKeyDown={keys.onKeyDown}
          aria-label={`Filter for ${value}`}
          checked={isChosen}
          onChange={() => onToggle(value)}
        />
      </td>
      <td>
        <span className="pp-ranked-value">
          <span
            className={`pp-rar pp-rar-${rarest}`}
            title={rarest === 4 ? 'Single login from one location' : undefined}
          />
          <EntityValue
            entity={{ kind: KINDS[part], value, field: part }}
            truncate={part !== 'ips'}
            plain={part === 'countries'}
          />
          {part === 'countries' ? (
            <span className="pp-t3 pp-ellipsis">{visibleText(countryName(value) ?? '')}</span>
          ) : null}
        </span>
        <span className="pp-ranked-bar" style={{ width: `${(logins / most) * 100}%` }} />
      </td>
      <td className="pp-num">{exact(logins)}</td>
    </tr>
  );
}
