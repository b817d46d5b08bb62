import { PopoverNext, type PopoverNextProps } from '@blueprintjs/core';
import {
  type JSX,
  type ReactNode,
  type RefObject,
  type SyntheticEvent,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useFocusReturn } from './focus.ts';
import { onFrontChange } from './front-change.ts';
import { focusFirstItem, isOnItem, menuKey } from './menu-keys.ts';
import { useListeners } from './use-listeners.ts';

interface MenuBoxProps {
  box: RefObject<HTMLDivElement | null>;
  onClose: () => void;
  children: ReactNode;
}

/** Takes the focus on mount, before the popover puts it on its own edge, where arrows do nothing. */
function MenuBox({ box, onClose, children }: MenuBoxProps): JSX.Element {
  useLayoutEffect(() => {
    const { current: root } = box;
    if (root === null || focusFirstItem(root)) return undefined;
    // Not visible until it is positioned.
    const frame = requestAnimationFrame(() => focusFirstItem(root));
    return () => cancelAnimationFrame(frame);
  }, [box]);
  useListeners(box, {
    keydown: (event) => {
      // Tab leaves a menu; in a menu with fields, it moves between them.
      if (event.key === 'Tab' && isOnItem(event.target)) onClose();
      else if (!box.current || !menuKey(box.current, event)) return;
      event.preventDefault();
    },
  });
  return (
    // The library announces whatever changes in a popover, such as each option that a search in it leaves.
    <div ref={box} className="pp-menu-box" aria-live="off">
      {children}
    </div>
  );
}

/** Scrolls if it is taller than the available space. */
const MIDDLEWARE: NonNullable<PopoverNextProps['middleware']> = {
  size: {
    padding: 8,
    apply: ({ availableHeight, elements }) =>
      elements.floating.style.setProperty('--room', `${Math.max(160, Math.floor(availableHeight))}px`),
  },
};

/**
 * A popover for menus: no arrow, no bounce. Its first item gets the focus, arrows and letters navigate, and the
 * previous element is refocused on close. It closes when another screen comes to the front.
 */
export function MenuPopover(props: Omit<PopoverNextProps, 'shouldReturnFocusOnClose'>): JSX.Element {
  const { isOpen, onInteraction, content, disabled = false } = props;
  const [own, setOwn] = useState(false);
  const open = (isOpen ?? own) && !disabled;
  const box = useRef<HTMLDivElement>(null);
  const interact = (next: boolean, event?: SyntheticEvent<HTMLElement>) => {
    setOwn(next);
    onInteraction?.(next, event);
  };
  const latest = useRef(interact);
  latest.current = interact;
  useEffect(() => (open ? onFrontChange(() => latest.current(false)) : undefined), [open]);
  useFocusReturn(open, box);
  return (
    <PopoverNext
      animation="minimal"
      arrow={false}
      middleware={MIDDLEWARE}
      {...props}
      shouldReturnFocusOnClose={false}
      isOpen={open}
      onInteraction={interact}
      content={
        <MenuBox box={box} onClose={() => interact(false)}>
          {content}
        </MenuBox>
      }
    />
  );
}
