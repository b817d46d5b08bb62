import { Menu, MenuDivider, MenuItem } from '@blueprintjs/core';
import {
  Clipboard,
  Disable,
  DocumentShare,
  FilterKeep,
  FilterRemove,
  Globe,
  Shield,
} from '@blueprintjs/icons';
import type { JSX, ReactNode } from 'react';
import { useCallback, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { type EntityActions, EntityMenuContext, type EntityRef, type MenuAnchor } from './entity-value.tsx';
import { Kbd } from './kbd.tsx';
import { useListeners } from './use-listeners.ts';

interface OpenState {
  anchor: MenuAnchor;
  entity: EntityRef;
  actions: EntityActions;
  from: HTMLElement | undefined;
}

const MARGIN = 8;

/** Below the anchor and left-aligned with it; flips where the window ends. */
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

function moveFocus(root: HTMLElement, key: string): boolean {
  const items = [...root.querySelectorAll<HTMLElement>('[role="menuitem"]:not(.bp6-disabled)')];
  if (!items.length) return false;
  const at = items.indexOf(document.activeElement as HTMLElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[key];
  if (to === undefined) return false;
  items[(to + items.length) % items.length]?.focus();
  return true;
}

/** A menu in a portal that takes focus, moves by arrows, closes on Esc, Tab or a press elsewhere. */
export function PortalMenu(props: {
  anchor: MenuAnchor;
  label: string;
  onClose: () => void;
  children: ReactNode;
}): JSX.Element {
  const { anchor, onClose } = props;
  const root = useRef<HTMLDivElement>(null);
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
    node.querySelector<HTMLElement>('[role="menuitem"]')?.focus();
    const onPress = (event: PointerEvent) => {
      if (!node.contains(event.target as Node)) onClose();
    };
    document.addEventListener('pointerdown', onPress, true);
    window.addEventListener('resize', onClose);
    return () => {
      document.removeEventListener('pointerdown', onPress, true);
      window.removeEventListener('resize', onClose);
    };
  }, [anchor, onClose]);
  useListeners(root, {
    keydown: (event) => {
      event.stopPropagation();
      if (event.key === 'Escape' || event.key === 'Tab') {
        event.preventDefault();
        onClose();
      } else if (root.current && moveFocus(root.current, event.key)) event.preventDefault();
    },
  });
  return createPortal(
    <div ref={root} className="pp-portal-menu">
      <Menu aria-label={props.label}>{props.children}</Menu>
    </div>,
    document.body,
  );
}

const OPEN_WORDS: Record<string, string> = {
  email: 'Open address',
  domain: 'Open domain',
  hash: 'Open file',
};

/** Holds the one entity menu of the window; put it around the app, inside the theme. */
export function EntityMenuHost({ children }: { children: ReactNode }): JSX.Element {
  const [state, setState] = useState<OpenState | null>(null);
  const open = useCallback(
    (anchor: MenuAnchor, entity: EntityRef, actions: EntityActions, from?: HTMLElement) =>
      setState({ anchor, entity, actions, from }),
    [],
  );
  const close = useCallback(
    () =>
      setState((now) => {
        now?.from?.focus();
        return null;
      }),
    [],
  );
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
  const canExcept = state && actions?.except && (actions.canExcept?.(state.entity) ?? true);
  return (
    <EntityMenuContext value={open}>
      {children}
      {state && actions ? (
        <PortalMenu anchor={state.anchor} label={`Actions for ${state.entity.value}`} onClose={close}>
          {item('Filter for', <FilterKeep size={14} />, 'F', actions.filterFor)}
          {item('Filter out', <FilterRemove size={14} />, '⇧F', actions.filterOut)}
          {canOpen
            ? item(
                OPEN_WORDS[state.entity.kind] ?? 'Open',
                <DocumentShare size={14} />,
                'Enter',
                actions.open,
              )
            : null}
          {canMap ? item('Open on the login map', <Globe size={14} />, null, actions.map) : null}
          {canExcept ? item('Create exception', <Disable size={14} />, null, actions.except) : null}
          {actions.filterFor || actions.filterOut || canOpen || canMap || canExcept ? <MenuDivider /> : null}
          {item('Copy', <Clipboard size={14} />, 'C', actions.copy)}
          {item('Copy defanged', <Shield size={14} />, '⇧C', actions.copyDefanged)}
        </PortalMenu>
      ) : null}
    </EntityMenuContext>
  );
}
