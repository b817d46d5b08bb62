import { type JSX, useRef, useState } from 'react';
import { useClock } from '#renderer/ui/clock-context.ts';
import { useSize } from '#renderer/ui/use-size.ts';
import { rarityWords } from '#shared/logins/rarity.ts';
import { gridTime } from '#shared/model/clock.ts';
import { visibleText } from '#shared/model/format.ts';
import type { LoginRow } from './engine.ts';
import { placeWords } from './map-controls.tsx';
import type { SummaryRows } from './use-logins.ts';
import { useRowKeys } from './use-row-keys.ts';
import { useRowsInView } from './use-rows-in-view.ts';

const ROW = 44;

export interface RowPlace {
  row: LoginRow;
  element: HTMLElement;
}

interface LoginListProps {
  /** Rows under the filter; a new function reloads them. */
  count: number;
  rows: SummaryRows['rows'];
  onOpen: (place: RowPlace) => void;
}

/** Every login under the filter, rarest first; rows in view only. Arrows move, Enter lists the actions. */
export function LoginList({ rows, count, onOpen }: LoginListProps): JSX.Element {
  const clock = useClock();
  const [ref, { height }] = useSize();
  const scroller = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const { at, onFocus, onKeyDown } = useRowKeys({ scroller, count, rowHeight: ROW });
  const first = Math.floor(top / ROW);
  const last = Math.min(count, first + Math.ceil(height / ROW) + 1);
  const rowAt = useRowsInView(rows, first, last);
  const shown = Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index);
  return (
    <div ref={ref} className="pp-logins">
      <div
        ref={scroller}
        className="pp-logins-scroll"
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        <div style={{ height: count * ROW, position: 'relative' }}>
          {shown.map((index) => {
            const row = rowAt(index);
            return row ? (
              <button
                type="button"
                key={index}
                data-at={index}
                className="pp-login"
                style={{ top: index * ROW }}
                tabIndex={index === at ? 0 : -1}
                aria-haspopup="menu"
                onFocus={() => onFocus(index)}
                onKeyDown={onKeyDown}
                onClick={(event) => onOpen({ row, element: event.currentTarget })}
                onContextMenu={(event) => {
                  event.preventDefault();
                  onOpen({ row, element: event.currentTarget });
                }}
              >
                <span className={`pp-rar pp-rar-${row.rarity}`} />
                <span className="pp-login-line">
                  <span className="pp-login-who pp-ellipsis">{visibleText(row.user) || 'Unknown user'}</span>
                  <span className={`pp-login-seen ${row.rarity >= 3 ? 'pp-rare-words' : 'pp-t3'}`}>
                    {row.lat === null ? 'Not located' : rarityWords(row)}
                    {row.failed === false ? '' : row.failed === null ? ' · unknown outcome' : ' · failed'}
                  </span>
                </span>
                <span className="pp-login-line pp-login-where">
                  <span className="pp-login-place pp-ellipsis">{placeWords(row)}</span>
                  <span className="pp-login-ip pp-mono">{visibleText(row.ip)}</span>
                  <span className="pp-login-when pp-t3">
                    {row.time === null ? 'Unknown' : gridTime(row.time, clock)}
                  </span>
                </span>
              </button>
            ) : null;
          })}
        </div>
      </div>
    </div>
  );
}
