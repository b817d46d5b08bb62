import type { JSX, ReactNode } from 'react';
import { directionOf } from './text-direction.ts';

interface PageHeaderProps {
  title: string;
  /** The title may be as long as a subject: it gets all remaining space, on one line. */
  longTitle?: boolean;
  /** A 14 px icon before the title. */
  icon?: ReactNode;
  freshness?: ReactNode;
  filters?: ReactNode;
  /** Actions on the right, the primary one last. */
  actions?: ReactNode;
}

export function PageHeader(props: PageHeaderProps): JSX.Element {
  return (
    <header className="pp-page-header">
      <div className={`pp-page-header-lead${props.longTitle ? ' pp-long-title' : ''}`}>
        {props.icon ? <span className="pp-t3 pp-stack-cell">{props.icon}</span> : null}
        <h1 className="pp-title pp-ellipsis" title={props.title} dir={directionOf(props.title)}>
          {props.title}
        </h1>
        {props.freshness}
        {props.filters ? <div className="pp-page-header-filters">{props.filters}</div> : null}
      </div>
      <div className="pp-page-header-actions">{props.actions}</div>
    </header>
  );
}
