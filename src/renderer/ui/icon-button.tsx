import { Button, Tooltip } from '@blueprintjs/core';
import { type JSX, type MouseEvent, useEffect, useState } from 'react';

interface IconButtonProps {
  icon: JSX.Element;
  /** The action in words: accessible name and tooltip. */
  label: string;
  onClick?: (event: MouseEvent<HTMLElement>) => void;
  small?: boolean;
  /** Draw the control's edge; without it the button is bare until hovered. */
  outlined?: boolean;
  intent?: 'primary' | 'danger';
  active?: boolean;
  disabled?: boolean;
  /** Why it is disabled: a disabled button shows no tooltip of its own, only a title. */
  why?: string | null;
  /** Shown beside the tooltip text, e.g. `Ctrl K`. */
  shortcut?: string;
}

/**
 * Whether the tooltip is open. Escape closes it and goes on: the component library would keep the key, and a preview
 * stay open because the pointer rests on a button.
 */
function useTooltip(): [open: boolean, setOpen: (open: boolean) => void] {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    if (!open) return undefined;
    const hear = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') setOpen(false);
    };
    window.addEventListener('keydown', hear, true);
    return () => window.removeEventListener('keydown', hear, true);
  }, [open]);
  return [open, setOpen];
}

/** An icon-only button: always with a name and a tooltip. */
export function IconButton(props: IconButtonProps): JSX.Element {
  const { icon, label, onClick, small, outlined, intent, active, disabled, why, shortcut } = props;
  const [open, setOpen] = useTooltip();
  return (
    <Tooltip
      content={shortcut ? `${label} (${shortcut})` : label}
      hoverOpenDelay={400}
      placement="bottom"
      compact
      isOpen={open}
      onInteraction={setOpen}
      canEscapeKeyClose={false}
    >
      <Button
        className="pp-icon-button"
        aria-label={label}
        icon={icon}
        onClick={onClick}
        size={small ? 'small' : 'medium'}
        variant={outlined || intent ? 'solid' : 'minimal'}
        intent={intent}
        active={active}
        disabled={disabled}
        title={why ?? undefined}
      />
    </Tooltip>
  );
}
