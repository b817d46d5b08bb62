import { Button } from '@blueprintjs/core';
import type { AriaAttributes, JSX, MouseEvent } from 'react';
import { tip } from './tips.ts';

/** What a popover tells of its button, for screen readers. */
export type PopoverState = Pick<AriaAttributes, 'aria-haspopup' | 'aria-expanded'>;

interface IconButtonProps extends PopoverState {
  icon: JSX.Element;
  /** The action in words: accessible name and tooltip. */
  label: string;
  onClick?: (event: MouseEvent<HTMLElement>) => void;
  small?: boolean;
  /** Draws the control's border; without it, the button is bare until hovered. */
  outlined?: boolean;
  intent?: 'primary' | 'danger';
  active?: boolean;
  disabled?: boolean;
  loading?: boolean;
  /** Why it is disabled, shown as title because a disabled button has no tooltip. */
  why?: string | null;
  /** Shown beside the tooltip text, e.g. `Ctrl K`. */
  shortcut?: string;
}

/** An icon-only button: always with a name and a tooltip. */
export function IconButton(props: IconButtonProps): JSX.Element {
  const { icon, label, onClick, small, outlined, intent, active, disabled, loading, why, shortcut } = props;
  return (
    <Button
      className="pp-icon-button"
      aria-label={label}
      aria-haspopup={props['aria-haspopup']}
      aria-expanded={props['aria-expanded']}
      {...tip(label, shortcut)}
      icon={icon}
      onClick={onClick}
      size={small ? 'small' : 'medium'}
      variant={outlined || intent ? 'solid' : 'minimal'}
      intent={intent}
      active={active}
      disabled={disabled}
      loading={loading}
      title={why ?? undefined}
    />
  );
}
