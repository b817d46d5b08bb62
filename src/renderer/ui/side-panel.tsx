import { type JSX, type ReactNode, useState } from 'react';
import { Splitter } from './splitter.tsx';

const MIN_WIDTH = 176;

interface SidePanelProps {
  side: 'left' | 'right';
  label: string;
  /** Width in px when the user chose none. */
  defaultWidth: number;
  /** The user's width, kept per screen by the caller. */
  width?: number | null;
  /** A new width, or null when the default was restored. */
  onResize: (width: number | null) => void;
  children: ReactNode;
}

/** A side panel, resizable between 176 px and half of the window; double-clicking its edge resets it. */
export function SidePanel(props: SidePanelProps): JSX.Element {
  const { side, defaultWidth, onResize } = props;
  const [dragged, setDragged] = useState<number | null>(null);
  const chosen = dragged ?? props.width ?? defaultWidth;
  const max = Math.max(MIN_WIDTH, Math.floor(globalThis.innerWidth / 2));
  const width = Math.min(max, Math.max(MIN_WIDTH, Math.round(chosen)));

  return (
    <aside className={`pp-side-panel pp-side-panel-${side}`} aria-label={props.label} style={{ width }}>
      {props.children}
      <Splitter
        label={`Width of ${props.label}`}
        width={width}
        min={MIN_WIDTH}
        max={max}
        side={side === 'left' ? 1 : -1}
        onDrag={setDragged}
        onResize={onResize}
      />
    </aside>
  );
}
