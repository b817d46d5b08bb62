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
import { pressedAgain } from '../chord.ts';
import { useFocusReturn } from '../focus.ts';
import { onFrontChange } from '../front-change.ts';
import { useListeners } from '../use-listeners.ts';
import { focusFirstItem, followPointer, isOnItem, menuKey } from './menu-keys.ts';

interface MenuBoxProps {
  box: RefObject<HTMLDivElement | null>;
  onClose: () => void;
  /** It has the focus, or cannot take it. */
  onDrawn: () => void;
  children: ReactNode;
}

/** An open menu that cannot take the focus, such as one without items, must not keep keys for ever. */
const MOST_KEPT_MS = 2_000;

/**
 * Keeps the keys pressed from now on until the menu has the focus: it is drawn and positioned some frames after it was
 * opened, which takes a while in a busy window, and meanwhile keys must not act on what is behind it. `deliver` presses
 * them in the menu. `box` is the menu, or null if not drawn yet.
 */
export function keepKeysFor(box: () => HTMLElement | null): { deliver: () => void; stop: () => void } {
  const ahead: KeyboardEvent[] = [];
  const hasFocus = () => box()?.contains(document.activeElement) ?? false;
  const keep = (event: KeyboardEvent) => {
    if (hasFocus()) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    ahead.push(event);
  };
  window.addEventListener('keydown', keep, true);
  const stop = () => {
    window.removeEventListener('keydown', keep, true);
    clearTimeout(timer);
  };
  const timer = setTimeout(stop, MOST_KEPT_MS);
  const deliver = () => {
    stop();
    for (const event of ahead.splice(0)) {
      if (!hasFocus()) return;
      document.activeElement?.dispatchEvent(pressedAgain(event));
    }
  };
  return { deliver, stop };
}

/** Takes the focus on mount, before the popover puts it on its own edge, where arrows do nothing. */
function MenuBox({ box, onClose, onDrawn, children }: MenuBoxProps): JSX.Element {
  const drawn = useRef(onDrawn);
  drawn.current = onDrawn;
  useLayoutEffect(() => {
    const focus = () => {
      const isFocused = box.current !== null && focusFirstItem(box.current);
      if (isFocused) drawn.current();
      return isFocused;
    };
    if (focus()) return undefined;
    // Not visible until it is positioned.
    const frame = requestAnimationFrame(() => focus() || drawn.current());
    return () => cancelAnimationFrame(frame);
  }, [box]);
  useListeners(box, {
    mousemove: followPointer,
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

/** Covers its button where it would not fit beside it, and scrolls if it is taller than the window. */
const MIDDLEWARE: NonNullable<PopoverNextProps['middleware']> = {
  shift: { crossAxis: true, padding: 8 },
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
  const [isToggled, setToggled] = useState(false);
  const open = (isOpen ?? isToggled) && !disabled;
  const box = useRef<HTMLDivElement>(null);
  const interact = (next: boolean, event?: SyntheticEvent<HTMLElement>) => {
    setToggled(next);
    onInteraction?.(next, event);
  };
  const latest = useRef(interact);
  latest.current = interact;
  useEffect(() => (open ? onFrontChange(() => latest.current(false)) : undefined), [open]);
  useFocusReturn(open, box);
  const deliver = useRef<() => void>(() => undefined);
  useLayoutEffect(() => {
    if (!open) return undefined;
    const keys = keepKeysFor(() => box.current);
    deliver.current = keys.deliver;
    return keys.stop;
  }, [open]);
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
        <MenuBox box={box} onClose={() => interact(false)} onDrawn={() => deliver.current()}>
          {content}
        </MenuBox>
      }
    />
  );
}
