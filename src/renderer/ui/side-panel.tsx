import type { JSX, KeyboardEvent, PointerEvent, ReactNode } from 'react';
import { useRef, useState } from 'react';

const MIN_WIDTH = 176;

interface SidePanelProps {
  /** Which side of the page it stands on. */
  side: 'left' | 'right';
  /** Accessible name. */
  label: string;
  /** Width in px when the user chose none. */
  defaultWidth: number;
  /** The user's width, kept per screen by the caller. */
  width?: number | null;
  /** A new width, or null when the default was restored. */
  onResize: (width: number | null) => void;
  children: ReactNode;
}

/** A panel at the side that drags between 176 px and half of the window; double-click on its edge resets. */
export function SidePanel(props: SidePanelProps): JSX.Element {
  const { side, defaultWidth, onResize } = props;
  const [dragged, setDragged] = useState<number | null>(null);
  const start = useRef<{ x: number; width: number } | null>(null);
  const chosen = dragged ?? props.width ?? defaultWidth;
  const max = Math.max(MIN_WIDTH, Math.floor(globalThis.innerWidth / 2));
  const width = Math.min(max, Math.max(MIN_WIDTH, Math.round(chosen)));
  const clamp = (value: number) => Math.min(max, Math.max(MIN_WIDTH, Math.round(value)));

  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    start.current = { x: event.clientX, width };
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    if (!start.current) return;
    const moved = event.clientX - start.current.x;
    setDragged(clamp(start.current.width + (side === 'left' ? moved : -moved)));
  };
  const onPointerUp = () => {
    if (start.current && dragged !== null) onResize(dragged);
    start.current = null;
    setDragged(null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -16, ArrowRight: 16 }[event.key];
    if (step) onResize(clamp(width + (side === 'left' ? step : -step)));
    else if (event.key === 'Home') onResize(null);
    else return;
    event.preventDefault();
  };

  return (
    <aside className={`pp-side-panel pp-side-panel-${side}`} aria-label={props.label} style={{ width }}>
      {props.children}
      {/* The window-splitter pattern of ARIA: a focusable separator with a value. */}
      <hr
        className={`pp-side-handle${dragged === null ? '' : ' pp-dragging'}`}
        style={{ margin: 0, border: 0, height: 'auto' }}
        aria-label={`Width of ${props.label}`}
        aria-orientation="vertical"
        aria-valuenow={width}
        aria-valuemin={MIN_WIDTH}
        aria-valuemax={max}
        tabIndex={0}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={onPointerUp}
        onDoubleClick={() => onResize(null)}
        onKeyDown={onKeyDown}
      />
    </aside>
  );
}
