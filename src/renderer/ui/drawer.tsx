import { Drawer as BlueprintDrawer } from '@blueprintjs/core';
import { Cross } from '@blueprintjs/icons';
import type { JSX, ReactNode } from 'react';
import { useId, useRef } from 'react';
import { Confirming } from './confirming.tsx';
import { focusFirst, useFocusReturn } from './focus.ts';
import { IconButton } from './icon-button.tsx';
import { useBreakpoint } from './use-breakpoint.ts';

interface DrawerProps {
  isOpen?: boolean;
  title: string;
  subtitle?: string;
  onClose: () => void;
  footNote?: ReactNode;
  actions?: ReactNode;
  /** Runs on Ctrl Enter. */
  onConfirm?: () => void;
  children: ReactNode;
}

const focusInside = focusFirst('pp-drawer');

/** For editing beside a list: 400 px, 480 on wide windows; the list stays usable. */
export function Drawer(props: DrawerProps): JSX.Element {
  const { isOpen = true } = props;
  const title = useId();
  const { wide } = useBreakpoint();
  const box = useRef<HTMLDivElement>(null);
  useFocusReturn(isOpen, box);
  return (
    <BlueprintDrawer
      isOpen={isOpen}
      onClose={props.onClose}
      onOpened={focusInside}
      size={wide ? 480 : 400}
      position="right"
      className="pp-drawer"
      hasBackdrop={false}
      canOutsideClickClose={false}
      enforceFocus={false}
      shouldReturnFocusOnClose={false}
      transitionDuration={150}
    >
      {/*
       * Blueprint's drawer takes neither role nor name, and announces whatever changes in it. Not modal: the list beside
       * it stays usable.
       */}
      <div ref={box} className="pp-drawer-box" role="dialog" aria-labelledby={title} aria-live="off">
        <Confirming onConfirm={props.onConfirm}>
          <div className="pp-drawer-header">
            <h2 className="pp-heading pp-ellipsis" id={title}>
              {props.title}
            </h2>
            {props.subtitle ? <span className="pp-t3 pp-ellipsis">{props.subtitle}</span> : null}
            <span className="pp-spacer" />
            <IconButton icon={<Cross size={14} />} label="Close" onClick={props.onClose} />
          </div>
          <div className="pp-drawer-body">{props.children}</div>
          {props.actions || props.footNote ? (
            <div className="pp-drawer-footer">
              <span className="pp-spacer">{props.footNote}</span>
              {props.actions}
            </div>
          ) : null}
        </Confirming>
      </div>
    </BlueprintDrawer>
  );
}
