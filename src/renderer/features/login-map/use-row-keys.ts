import { type KeyboardEvent, type RefObject, useState } from 'react';
import { useCommands } from '#renderer/commands/command.tsx';
import { LOGIN_LISTS } from '#renderer/commands/keys.ts';

interface Rows {
  /** The scroll container; the control of each row, or its wrapper, carries the row's index in `data-at`. */
  scroller: RefObject<HTMLElement | null>;
  count: number;
  /** Row height in px of a virtual list, or null if all rows are drawn. */
  rowHeight: number | null;
  head?: number;
}

interface RowKeys {
  /** The row in the tab order. */
  at: number;
  onFocus: (index: number) => void;
  onKeyDown: (event: KeyboardEvent) => void;
}

/** A list beside the map by keys: J and K from anywhere on the screen, arrows, Page, Home and End inside. */
export function useRowKeys({ scroller, count, rowHeight, head = 0 }: Rows): RowKeys {
  const [focused, setFocused] = useState(0);
  const position = Math.min(focused, Math.max(0, count - 1));
  const focusOn = (to: number) => {
    const next = Math.min(count - 1, Math.max(0, to));
    setFocused(next);
    const node = scroller.current;
    if (!node) return;
    if (rowHeight !== null) {
      const room = node.clientHeight - head;
      if (next * rowHeight < node.scrollTop) node.scrollTop = next * rowHeight;
      else if ((next + 1) * rowHeight > node.scrollTop + room) node.scrollTop = (next + 1) * rowHeight - room;
    }
    const row = `[data-at="${next}"]`;
    const control = () =>
      node.querySelector<HTMLElement>(`${row}:is(button, input), ${row} :is(button, input)`);
    const drawn = control();
    // At once if it is drawn: Enter may follow before the next frame.
    if (drawn) drawn.focus();
    else requestAnimationFrame(() => control()?.focus());
  };
  const step = (by: 1 | -1) => {
    if (count === 0) return false;
    focusOn(scroller.current?.contains(document.activeElement) ? position + by : position);
    return true;
  };
  useCommands([
    { ...LOGIN_LISTS.next, run: () => step(1) },
    { ...LOGIN_LISTS.previous, run: () => step(-1) },
  ]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / (rowHeight ?? 1)) - 1);
    const to = {
      ArrowDown: position + 1,
      ArrowUp: position - 1,
      ...(rowHeight === null ? {} : { PageDown: position + page, PageUp: position - page }),
      Home: 0,
      End: count - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    focusOn(to);
  };
  return { at: position, onFocus: setFocused, onKeyDown };
}
