import { Dialog as BlueprintDialog, Button, type ButtonProps } from '@blueprintjs/core';
import { Cross } from '@blueprintjs/icons';
import type { JSX, ReactNode } from 'react';
import { useEffect, useId, useRef } from 'react';
import { exact } from '#shared/model/format.ts';
import { focusFirst, useFocusReturn } from './focus.ts';
import { useScrollStop } from './grid/scroll-stop.ts';
import { IconButton } from './icon-button.tsx';
import { Kbd } from './kbd.tsx';
import { useDialogKeys } from './use-listeners.ts';
import { VerdictChip } from './verdict-chip.tsx';

interface DialogProps {
  /** If it stays mounted while it is closed, so that it can fade out. */
  isOpen?: boolean;
  title: string;
  icon?: ReactNode;
  /** 440, 640 (decisions) or 704 px. */
  size?: 'narrow' | 'normal' | 'wide';
  onClose: () => void;
  /** Note at the left of the footer, e.g. "Can be undone: restore from Activity". */
  footNote?: ReactNode;
  /** Cancel, then the button that repeats verb and exact count. */
  actions?: ReactNode;
  /** Runs on Ctrl Enter. */
  onConfirm?: () => void;
  children: ReactNode;
}

/**
 * Otherwise focuses the first footer button (Cancel), so that Enter alone never confirms. Synchronous, so that fast
 * typing is not lost.
 */
const focusInside = focusFirst('pp-dialog', '.pp-dialog-footer button');

/** A dialog for decisions: title, scrolling body, footer with note and actions. */
export function Dialog(props: DialogProps): JSX.Element {
  const { isOpen = true } = props;
  const title = useId();
  const inside = useRef<HTMLDivElement>(null);
  const body = useScrollStop(inside);
  useDialogKeys(inside, props.onConfirm, props.onClose);
  useFocusReturn(isOpen, inside);
  const size = props.size === 'wide' ? ' pp-wide' : props.size === 'narrow' ? ' pp-narrow' : '';
  return (
    <BlueprintDialog
      isOpen={isOpen}
      onClose={props.onClose}
      onOpening={focusInside}
      onOpened={focusInside}
      className={`pp-dialog${size}`}
      aria-labelledby={title}
      transitionDuration={150}
      canOutsideClickClose={false}
      shouldReturnFocusOnClose={false}
    >
      <div className="pp-dialog-header">
        {props.icon}
        <h2 className="pp-heading pp-ellipsis" id={title}>
          {props.title}
        </h2>
        <span className="pp-spacer" />
        <IconButton icon={<Cross size={14} />} label="Close" onClick={props.onClose} />
      </div>
      {/* The library announces whatever changes in a dialog, at every keystroke; what is to be announced says so itself. */}
      <div className="pp-dialog-body" ref={body} aria-live="off">
        {props.children}
      </div>
      {props.actions || props.footNote ? (
        <div className="pp-dialog-footer" aria-live="off">
          <span className="pp-spacer">{props.footNote}</span>
          {props.actions}
        </div>
      ) : null}
    </BlueprintDialog>
  );
}

/** The button that does what Ctrl Enter does, which it shows. */
export function ConfirmButton(props: ButtonProps): JSX.Element {
  const key = (
    <span aria-hidden="true">
      <Kbd keys="Ctrl Enter" />
    </span>
  );
  return <Button intent="primary" aria-keyshortcuts="Control+Enter" {...props} endIcon={key} />;
}

/** A dialog with Cancel and one button that confirms, as Ctrl Enter does. */
export function ConfirmDialog(
  props: Omit<DialogProps, 'actions'> & {
    /** The button, whose text repeats verb and exact count. */
    confirm: Pick<ButtonProps, 'text' | 'intent' | 'loading' | 'disabled' | 'title'>;
    /** Instead of Cancel. */
    closeText?: string;
    onConfirm: () => void;
  },
): JSX.Element {
  const { confirm, closeText = 'Cancel', ...dialog } = props;
  return (
    <Dialog
      {...dialog}
      actions={
        <>
          <Button text={closeText} onClick={dialog.onClose} />
          <ConfirmButton {...confirm} onClick={dialog.onConfirm} />
        </>
      }
    />
  );
}

/**
 * Whether the dialog that calls this is still open, and closing it only then: when an answer arrives, another dialog may
 * have taken its place.
 */
export function useOpenDialog(onClose: () => void): { isOpen: () => boolean; close: () => void } {
  const opened = useRef(true);
  useEffect(() => {
    opened.current = true;
    return () => {
      opened.current = false;
    };
  }, []);
  const isOpen = () => opened.current;
  return { isOpen, close: () => isOpen() && onClose() };
}

/** The exact figures of a decision; the accented one will be sent. */
export function Figures(props: {
  figures: readonly { label: string; value: number | string; accent?: boolean }[];
}): JSX.Element {
  return (
    <div className="pp-figures">
      {props.figures.map((figure) => (
        <div key={figure.label} className={figure.accent ? 'pp-figure-accent' : undefined}>
          <strong>{typeof figure.value === 'number' ? exact(figure.value) : figure.value}</strong>
          <span>{figure.label}</span>
        </div>
      ))}
    </div>
  );
}

/** Verdict chips with exact counts; verdicts with none are omitted. */
export function VerdictMix({
  counts,
}: {
  counts: readonly { verdict: string; count: number }[];
}): JSX.Element {
  return (
    <div className="pp-verdict-mix">
      {counts
        .filter((entry) => entry.count > 0)
        .map((entry) => (
          <span key={entry.verdict}>
            <VerdictChip verdict={entry.verdict} compact />
            {exact(entry.count)}
          </span>
        ))}
    </div>
  );
}
