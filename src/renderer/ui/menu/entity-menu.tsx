import { Menu, MenuDivider, MenuItem } from '@blueprintjs/core';
import {
  Clipboard,
  Disable,
  DocumentShare,
  FilterKeep,
  FilterRemove,
  Globe,
  HandUp,
  Shield,
} from '@blueprintjs/icons';
import type { JSX, ReactNode } from 'react';
import { useCallback, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { dictionary } from '#shared/dictionary.ts';
import { type EntityActions, EntityMenuContext, type EntityRef, type MenuAnchor } from '../entity-value.tsx';
import { useFocusReturn } from '../focus.ts';
import { onFrontChange } from '../front-change.ts';
import { Kbd } from '../kbd.tsx';
import { useListeners } from '../use-listeners.ts';
import { focusFirstItem, followPointer, menuKey } from './menu-keys.ts';

interface OpenState {
  anchor: MenuAnchor;
  entity: EntityRef;
  actions: EntityActions;
}

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

const OPEN_WORDS: Record<string, string> = dictionary({
  email: 'Open address',
  domain: 'Open domain',
  hash: 'Open file',
});

/** Hosts the window's single entity menu; wraps the app inside the theme. */
export function EntityMenuHost({ children }: { children: ReactNode }): JSX.Element {
  const [state, setState] = useState<OpenState | null>(null);
  const open = useCallback(
    (anchor: MenuAnchor, entity: EntityRef, actions: EntityActions) => setState({ anchor, entity, actions }),
    [],
  );
  const close = useCallback(() => setState(null), []);
  const item = (
    text: string,
    icon: JSX.Element,
    keys: string | null,
    act: ((entity: EntityRef) => void) | undefined,
  ) =>
    state && act ? (
      <MenuItem
        key={text}
        text={text}
        icon={icon}
        labelElement={keys === null ? undefined : <Kbd keys={keys} />}
        onClick={() => {
          close();
          act(state.entity);
        }}
      />
    ) : null;
  const actions = state?.actions;
  const canOpen = state && actions?.open && (actions.canOpen?.(state.entity) ?? true);
  const canMap = state && actions?.map && (actions.canMap?.(state.entity) ?? true);
  const canClicked = state && actions?.clicked && (actions.canClicked?.(state.entity) ?? true);
  const canExcept = state && actions?.except && (actions.canExcept?.(state.entity) ?? true);
  return (
    <EntityMenuContext value={open}>
      {children}
      {state && actions ? (
        <PortalMenu
          anchor={state.anchor}
          label={`Actions for ${state.entity.called ?? state.entity.value}`}
          onClose={close}
        >
          {item('Filter for', <FilterKeep size={14} />, 'F', actions.filterFor)}
          {item('Filter out', <FilterRemove size={14} />, 'Shift F', actions.filterOut)}
          {canOpen
            ? item(
                OPEN_WORDS[state.entity.kind] ?? 'Open',
                <DocumentShare size={14} />,
                'Enter',
                actions.open,
              )
            : null}
          {canClicked ? item('Who clicked', <HandUp size={14} />, null, actions.clicked) : null}
          {canMap ? item('Open on the login map', <Globe size={14} />, null, actions.map) : null}
          {canExcept ? item('Create exception', <Disable size={14} />, null, actions.except) : null}
          {actions.filterFor || actions.filterOut || canOpen || canMap || canClicked || canExcept ? (
            <MenuDivider />
          ) : null}
          {item('Copy defanged', <Shield size={14} />, 'C', actions.copyDefanged)}
          {item('Copy raw', <Clipboard size={14} />, 'Shift C', actions.copy)}
        </PortalMenu>
      ) : null}
    </EntityMenuContext>
  );
}
