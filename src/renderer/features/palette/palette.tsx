import { Search } from '@blueprintjs/icons';
import {
  type ClipboardEvent,
  type JSX,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { createPortal } from 'react-dom';
import { closePalette, useOverlays } from '#renderer/state/overlays.ts';
import { chordOf } from '#renderer/ui/chord.ts';
import { scrollStop } from '#renderer/ui/grid/scroll-stop.ts';
import { Hints, Kbd } from '#renderer/ui/kbd.tsx';
import { directionOf } from '#renderer/ui/text-direction.ts';
import { plural } from '#shared/model/format.ts';
import './palette.css';
import type { PaletteItem } from './items.tsx';
import { HINTS, PLACEHOLDER } from './labels.ts';
import { usePaletteItems } from './use-items.tsx';

function Item(props: {
  item: PaletteItem;
  id: string;
  isActive: boolean;
  onPoint: () => void;
  onRun: () => void;
}): JSX.Element {
  const { item, id, isActive, onPoint, onRun } = props;
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isActive) root.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  return (
    // The combobox pattern: the input keeps the focus, and the active option is named by aria-activedescendant.
    <div
      ref={root}
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isActive}
      className={`pp-palette-item${isActive ? ' pp-active' : ''}`}
      onMouseMove={onPoint}
      onClick={onRun}
      onKeyDown={() => undefined}
    >
      {item.icon}
      <span className="pp-ellipsis pp-palette-text" dir={directionOf(item.text)}>
        {item.text}
      </span>
      {item.extra}
      {item.detail ? <span className="pp-small pp-t3 pp-ellipsis">{item.detail}</span> : null}
      <span className="pp-spacer" />
      {item.count ? <b className="pp-num">{item.count}</b> : null}
      {isActive ? <Kbd keys="Enter" /> : item.keys ? <Kbd keys={item.keys} /> : null}
    </div>
  );
}

const optionId = (list: string, index: number) => `${list}-${index}`;

function ItemList(props: {
  id: string;
  items: readonly PaletteItem[];
  active: number;
  onPoint: (index: number) => void;
  onRun: (item: PaletteItem) => void;
}): JSX.Element {
  const { id, items, active, onPoint, onRun } = props;
  return (
    <div id={id} role="listbox" aria-label="Results">
      {items.map((item, index) => (
        <div key={item.id} role="presentation">
          {items[index - 1]?.group === item.group ? null : (
            <div className="pp-palette-group" role="presentation">
              {item.group}
            </div>
          )}
          <Item
            item={item}
            id={optionId(id, index)}
            isActive={index === active}
            onPoint={() => onPoint(index)}
            onRun={() => onRun(item)}
          />
        </div>
      ))}
    </div>
  );
}

/** Focuses the input while the palette is open, and the previous element afterwards. */
function useFocusWhileOpen(input: RefObject<HTMLInputElement | null>): void {
  useLayoutEffect(() => {
    const before = document.activeElement;
    // A menu that is still closing listens on the document and would take the focus back.
    const keep = (event: FocusEvent) => {
      if (event.target === input.current) event.stopPropagation();
    };
    window.addEventListener('focus', keep, true);
    input.current?.focus();
    return () => {
      window.removeEventListener('focus', keep, true);
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, [input]);
}

/** Single steps wrap around; pages stop at the ends. */
const stepped = (position: number, step: number, count: number): number => {
  const next = Math.abs(step) === 1 ? (position + step + count) % count : position + step;
  return Math.max(0, Math.min(count - 1, next));
};

function OpenPalette({ initial }: { initial: string }): JSX.Element {
  const [text, setText] = useState(initial);
  /** The active item: the first one until the user moves, even if new items are inserted before it. */
  const [chosen, setChosen] = useState<string | null>(null);
  const [isWaiting, setWaiting] = useState(false);
  const list = useId();
  const input = useRef<HTMLInputElement>(null);
  const { items, recognised, note, pending, isMissing } = usePaletteItems(text);
  const active = Math.max(
    items.length > 0 ? 0 : -1,
    items.findIndex(({ id }) => id === chosen),
  );
  const setAt = (index: number) => setChosen(items[index]?.id ?? null);
  const change = (next: string) => {
    setText(next);
    setChosen(null);
    setWaiting(false);
  };

  useFocusWhileOpen(input);
  const run = (item: PaletteItem | undefined) => {
    if (!item) return;
    closePalette();
    item.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (step) setAt(stepped(active, step, items.length));
    // The pasted value is still being looked up. Its result will come first, so Enter waits for it.
    else if (event.key === 'Enter' && pending && chosen === null) setWaiting(true);
    else if (event.key === 'Enter') run(items[active]);
    else if (event.key === 'Escape' || chordOf(event.nativeEvent) === 'Ctrl+K') closePalette();
    else if (event.key !== 'Tab') return;
    event.preventDefault();
  };
  /** Keeps the lines of a pasted column separate, although the box has a single line. */
  const onPaste = (event: ClipboardEvent<HTMLInputElement>) => {
    const pasted = event.clipboardData.getData('text/plain');
    if (!/[\r\n]/.test(pasted)) return;
    event.preventDefault();
    const { value, selectionStart, selectionEnd } = event.currentTarget;
    const before = value.slice(0, selectionStart ?? value.length);
    const lines = pasted.replace(/[\r\n]+/g, ' ').trim();
    change(`${before}${lines}${value.slice(selectionEnd ?? value.length)}`);
  };
  const first = items[0];
  useEffect(() => {
    if (!isWaiting || pending) return;
    if (isMissing) {
      setWaiting(false);
      return;
    }
    if (!first) return;
    closePalette();
    first.run();
  }, [isWaiting, pending, isMissing, first]);
  return (
    <>
      <button
        type="button"
        className="pp-palette-scrim"
        aria-label="Close"
        tabIndex={-1}
        onClick={closePalette}
      />
      <div className="pp-palette" role="dialog" aria-modal="true" aria-label="Find anything">
        <div className="pp-palette-head">
          <Search size={16} />
          <input
            ref={input}
            type="text"
            role="combobox"
            aria-label={PLACEHOLDER}
            aria-expanded="true"
            aria-controls={list}
            aria-activedescendant={items.length > 0 ? optionId(list, active) : undefined}
            placeholder={PLACEHOLDER}
            className={recognised ? 'pp-mono' : undefined}
            value={text}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => change(event.target.value)}
            onPaste={onPaste}
            onKeyDown={onKeyDown}
          />
          {recognised ? <span className="pp-palette-kind">{recognised}</span> : null}
        </div>
        <div ref={scrollStop} className="pp-palette-list">
          <p className="pp-palette-note" role="status">
            {note}
          </p>
          <ItemList id={list} items={items} active={active} onPoint={setAt} onRun={run} />
        </div>
        <div className="pp-palette-foot">
          <Hints hints={HINTS} />
          <span className="pp-spacer" />
          <span className="pp-caption pp-t3">{plural(items.length, 'result')}</span>
        </div>
      </div>
    </>
  );
}

/** The command palette (Ctrl+K): screens, queries, tabs, actions and pasted values. */
export function Palette(): JSX.Element | null {
  const palette = useOverlays((store) => store.palette);
  return palette ? createPortal(<OpenPalette initial={palette.text} />, document.body) : null;
}
