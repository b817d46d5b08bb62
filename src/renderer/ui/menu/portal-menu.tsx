import { Menu } from '@blueprintjs/core';
import { type JSX, type ReactNode, useLayoutEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import type { MenuAnchor } from '../entity-value.tsx';
import { useFocusReturn } from '../focus.ts';
import { onFrontChange } from '../front-change.ts';
import { useListeners } from '../use-listeners.ts';
import { focusFirstItem, followPointer, menuKey } from './menu-keys.ts';

const MARGIN = 8;

/** Placed below the anchor, left-aligned; flips at the window's edges. */
function placeMenu(
  anchor: MenuAnchor,
  size: { width: number; height: number },
  view: { width: number; height: number },
) {
  const below = anchor.bottom + 2;
  const fits = below + size.height <= view.height - MARGIN;
  const top = fits ? below : Math.max(MARGIN, anchor.top - size.height - 2);
  const left = Math.max(MARGIN, Math.min(anchor.left, view.width - size.width - MARGIN));
  return { top, left };
}

/** A menu in a portal: takes focus, navigates by arrows, closes on Esc, Tab or a click elsewhere. */
export function PortalMenu(props: {
  anchor: MenuAnchor;
  label: string;
  onClose: () => void;
  children: ReactNode;
}): JSX.Element {
  const { anchor, onClose } = props;
  const root = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const node = root.current;
    if (!node) return undefined;
    const place = placeMenu(
      anchor,
      { width: node.offsetWidth, height: node.offsetHeight },
      { width: innerWidth, height: innerHeight },
    );
    node.style.top = `${place.top}px`;
    node.style.left = `${place.left}px`;
    focusFirstItem(node);
    const onPress = (event: PointerEvent) => {
      if (!(event.target instanceof Node && node.contains(event.target))) onClose();
    };
    document.addEventListener('pointerdown', onPress, true);
    window.addEventListener('resize', onClose);
    const unlisten = onFrontChange(onClose);
    return () => {
      unlisten();
      document.removeEventListener('pointerdown', onPress, true);
      window.removeEventListener('resize', onClose);
    };
  }, [anchor, onClose]);
  useFocusReturn(true, root);
  useListeners(root, {
    mousemove: followPointer,
    keydown: (event) => {
      // Global hotkeys propagate; they close the menu.
      if (!event.ctrlKey && !event.metaKey && !event.altKey) event.stopPropagation();
      if (event.key === 'Escape' || event.key === 'Tab') {
        event.preventDefault();
        onClose();
      } else if (root.current && menuKey(root.current, event)) event.preventDefault();
    },
  });
  return createPortal(
    <section ref={root} className="pp-portal-menu" aria-label={props.label}>
      <Menu aria-label={props.label}>{props.children}</Menu>
    </section>,
    document.body,
  );
}
