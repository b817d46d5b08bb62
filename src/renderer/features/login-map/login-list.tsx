import { type JSX, type KeyboardEvent, useRef, useState } from 'react';
import { useClock } from '#renderer/ui/clock-context.ts';
import { rarityWords } from '#shared/logins/rarity.ts';
import { profileTime } from '#shared/model/clock.ts';
import { visibleText } from '#shared/model/format.ts';
import type { LoginRow } from './engine.ts';
import { placeWords } from './map-controls.tsx';
import type { SummaryRows } from './use-logins.ts';
import { useRowsInView, useSize } from './use-size.ts';

const ROW = 44;

export interface RowPlace {
  row: LoginRow;
  element: HTMLElement;
}

interface LoginListProps {
  /** Rows under the filter; a new function asks for them again. */
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
  const [focused, setFocused] = useState(0);
  const first = Math.floor(top / ROW);
  const last = Math.min(count, first + Math.ceil(height / ROW) + 1);
  const rowAt = useRowsInView(rows, first, last);
  const at = Math.min(focused, Math.max(0, count - 1));

  const focusOn = (to: number) => {
    const next = Math.min(count - 1, Math.max(0, to));
    setFocused(next);
    const node = scroller.current;
    if (!node) return;
    if (next * ROW < node.scrollTop) node.scrollTop = next * ROW;
    else if ((next + 1) * ROW > node.scrollTop + node.clientHeight)
      node.scrollTop = (next + 1) * ROW - node.clientHeight;
    requestAnimationFrame(() => node.querySelector<HTMLElement>(`[data-at="${next}"]`)?.focus());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(height / ROW) - 1);
    const to = {
      ArrowDown: at + 1,
      j: at + 1,
      ArrowUp: at - 1,
      k: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: count - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    focusOn(to);
  };
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
                onFocus={() => setFocused(index)}
                onKeyDown={onKeyDown}
                onClick={(event) => onOpen({ row, element: event.currentTarget })}
                onContextMenu={(event) => {
                  event.preventDefault();
                  onOpen({ row, element: event.currentTarget });
                }}
              >
                <span className={`pp-rar pp-rar-${row.rarity}`} />
                <span className="pp-login-who pp-ellipsis">{visibleText(row.user) || 'Unknown user'}</span>
                <span className="pp-login-when">
                  {row.time === null ? 'Unknown' : profileTime(row.time, clock).slice(5, 19)}
                </span>
                <span className="pp-login-where pp-ellipsis">
                  {placeWords(row)} <span className="pp-mono">{visibleText(row.ip)}</span>
                </span>
                <span className={row.rarity >= 3 ? 'pp-login-seen pp-rare-words' : 'pp-login-seen pp-t3'}>
                  {row.lat === null ? 'Not located' : rarityWords(row.seen)}
                  {row.failed === false ? '' : row.failed === null ? ' · unknown outcome' : ' · failed'}
                </span>
              </button>
            ) : null;
          })}
        </div>
      </div>
    </div>
  );
}
