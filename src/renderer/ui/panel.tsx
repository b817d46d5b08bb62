import { Menu } from '@blueprintjs/core';
import { More } from '@blueprintjs/icons';
import type { JSX, ReactNode } from 'react';
import { useContext, useId } from 'react';
import type { BridgeError } from '#shared/bridge/errors.ts';
import type { Freshness } from '#shared/bridge/freshness.ts';
import { type EmptyInfo, EmptyState } from './empty-state.tsx';
import { ErrorBar, ErrorState } from './error-bar.tsx';
import { FreshnessMark } from './freshness-mark.tsx';
import { scrollStop } from './grid/scroll-stop.ts';
import { IconButton } from './icon-button.tsx';
import { MenuPopover } from './menu/menu-popover.tsx';
import { ToldErrors } from './reported-errors.ts';
import { SkeletonRows, useDelayed } from './skeleton.tsx';

interface PanelProps {
  title: string;
  /** Beside the title in t3: a count or a few words. */
  count?: ReactNode;
  /** Null if nothing was requested yet. Omit it for panels that show local data only. */
  freshness?: Freshness | null;
  loading?: boolean;
  /** Text in place of the age while loading, e.g. "asking 8 tools, 3 answered". */
  loadingText?: string;
  error?: BridgeError | null;
  /** For errors: what is shown meanwhile and what remains unknown. */
  shownInstead?: string;
  notKnown?: string;
  /** Title of the state "never loaded"; "<title> could not be loaded" by default. */
  errorTitle?: string;
  onRetry?: () => void;
  empty?: EmptyInfo | null;
  actions?: ReactNode;
  menu?: ReactNode;
  /** Rows of the loading skeleton: the height the content will have. */
  rows?: number;
  skeleton?: ReactNode;
  /** The body lays out its own scrolling (grids, frames). */
  noScroll?: boolean;
  className?: string;
  children?: ReactNode;
}

/** All of several children may be empty, such as a closed dialog and a list that was never loaded. */
const isFilled = (children: ReactNode): boolean =>
  Array.isArray(children)
    ? children.some(isFilled)
    : children !== undefined && children !== null && typeof children !== 'boolean';

function Body(props: PanelProps): JSX.Element {
  const hasData = isFilled(props.children);
  const late = useDelayed(Boolean(props.loading) && !hasData);
  const errors = useContext(ToldErrors);
  if (hasData && !props.empty) return <>{props.children}</>;
  if (props.error && !props.loading && !props.empty && errors.has(props.error.code))
    return <p className="pp-panel-none pp-t3">Not loaded. {props.notKnown}</p>;
  if (props.error && !props.loading && !props.empty) {
    return (
      <ErrorState
        small
        title={props.errorTitle ?? `${props.title} could not be loaded`}
        error={props.error}
        notKnown={props.notKnown}
        onRetry={props.onRetry}
      />
    );
  }
  if (props.empty) return <EmptyState {...props.empty} small />;
  if (late) return <>{props.skeleton ?? <SkeletonRows rows={props.rows ?? 4} />}</>;
  // Reserves the skeleton's height, so that nothing jumps during the first 150 ms.
  return <div style={{ height: (props.rows ?? 0) * 28 }} />;
}

/**
 * A panel with its own freshness, error and retry (design.md, Patterns). Existing data stays visible under an
 * error bar and while loading; a skeleton appears only if nothing was ever shown.
 */
export function Panel(props: PanelProps): JSX.Element {
  const heading = useId();
  const errors = useContext(ToldErrors);
  const hasData = isFilled(props.children) || props.empty;
  const showsMark = props.freshness !== undefined || props.loading || props.error;
  return (
    <section
      className={`pp-panel ${props.className ?? ''}`}
      aria-labelledby={heading}
      aria-busy={props.loading ? true : undefined}
      data-panel={props.title}
    >
      <header className="pp-panel-header">
        <h2 id={heading}>{props.title}</h2>
        {props.count === undefined ? null : <span className="pp-panel-count">{props.count}</span>}
        <span className={`pp-panel-tail${props.menu ? ' pp-panel-tail-menu' : ''}`}>
          {showsMark ? (
            <FreshnessMark
              freshness={props.freshness ?? null}
              loading={props.loading}
              loadingText={props.loadingText}
              error={props.error}
              short
            />
          ) : null}
          {props.actions}
          {props.menu ? (
            <MenuPopover
              content={<Menu aria-label={`${props.title} actions`}>{props.menu}</Menu>}
              placement="bottom-end"
            >
              <IconButton small icon={<More size={14} />} label={`${props.title}: more`} />
            </MenuPopover>
          ) : null}
        </span>
      </header>
      {props.error && hasData && !errors.has(props.error.code) ? (
        <ErrorBar
          error={props.error}
          shownInstead={props.shownInstead}
          notKnown={props.notKnown}
          onRetry={props.onRetry}
        />
      ) : null}
      <div
        ref={props.noScroll ? undefined : scrollStop}
        className={`pp-panel-body${props.noScroll ? ' pp-no-scroll' : ''}`}
      >
        <Body {...props} />
      </div>
    </section>
  );
}
