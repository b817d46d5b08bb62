import { type JSX, type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';

const STEP = 16;

interface SplitterProps {
  label: string;
  /** Width of the resized pane in px, and its limits. */
  width: number;
  min: number;
  max: number;
  /** 1 if the resized pane is to the left, -1 if it is to the right. */
  side: 1 | -1;
  /** The width while dragging, or null if dragging ended. */
  onDrag: (width: number | null) => void;
  /** A new width, or null when the default was restored. */
  onResize: (width: number | null) => void;
}

/** The splitter between two panes (ARIA window-splitter pattern): drag or use arrows; Home or a double-click resets. */
export function Splitter(props: SplitterProps): JSX.Element {
  const { width, min, max, side, onDrag, onResize } = props;
  const start = useRef<{ x: number; width: number } | null>(null);
  const [dragged, setDragged] = useState<number | null>(null);
  const clamp = (value: number) => Math.min(max, Math.max(min, Math.round(value)));
  const drag = (to: number | null) => {
    setDragged(to);
    onDrag(to);
  };
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    start.current = { x: event.clientX, width };
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    if (start.current) drag(clamp(start.current.width + (event.clientX - start.current.x) * side));
  };
  const onPointerUp = () => {
    if (start.current && dragged !== null) onResize(dragged);
    start.current = null;
    drag(null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
    if (step) onResize(clamp(width + step * side));
    else if (event.key === 'Home') onResize(null);
    else return;
    event.preventDefault();
  };
  return (
    <hr
      className={`pp-side-handle${dragged === null ? '' : ' pp-dragging'}`}
      style={{ margin: 0, border: 0, height: 'auto' }}
      aria-label={props.label}
      aria-orientation="vertical"
      aria-valuenow={width}
      aria-valuemin={min}
      aria-valuemax={max}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={onPointerUp}
      onDoubleClick={() => onResize(null)}
      onKeyDown={onKeyDown}
    />
  );
}
