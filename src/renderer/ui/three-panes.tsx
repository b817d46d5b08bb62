import type { JSX, ReactNode } from 'react';
import { SidePanel } from './side-panel.tsx';
import { useBreakpoint } from './use-breakpoint.ts';

interface SidePane {
  label: string;
  /** Width in px when the user chose none: from 1600 px on, and below. */
  defaultWidth: readonly [wide: number, narrow: number];
  /** The user's width and its setter, kept by the screen. */
  width: readonly [width: number | null, onResize: (width: number | null) => void];
  content: ReactNode;
}

/** Layout of list screens: header, error bars, then filters, list and details side by side. */
export function ThreePanes(props: {
  className: string;
  header: ReactNode;
  /** Between the header and the panes: errors, and what is shown meanwhile. */
  bars?: ReactNode;
  left: SidePane;
  /** Null for only filters and list. */
  right: SidePane | null;
  children: ReactNode;
}): JSX.Element {
  const { wide } = useBreakpoint();
  const side = (which: 'left' | 'right', { label, defaultWidth, width, content }: SidePane) => (
    <SidePanel
      side={which}
      label={label}
      defaultWidth={defaultWidth[wide ? 0 : 1]}
      width={width[0]}
      onResize={width[1]}
    >
      {content}
    </SidePanel>
  );
  return (
    <div className={`pp-three-panes ${props.className}`}>
      {props.header}
      {props.bars}
      <div className="pp-panes">
        {side('left', props.left)}
        <div className="pp-pane-list">{props.children}</div>
        {props.right ? side('right', props.right) : null}
      </div>
    </div>
  );
}
