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
import { type JSX, type ReactNode, useCallback, useState } from 'react';
import { type Command, type Icon, menuItems } from '#renderer/commands/command.tsx';
import { type KeySpec, ROWS } from '#renderer/commands/keys.ts';
import {
  type EntityActions,
  EntityMenuContext,
  type EntityRef,
  type MenuAnchor,
} from '#renderer/ui/entity-value.tsx';
import { PortalMenu } from '#renderer/ui/menu/portal-menu.tsx';
import { dictionary } from '#shared/dictionary.ts';

const OPEN_WORDS: Record<string, string> = dictionary({
  email: 'Open address',
  domain: 'Open domain',
  hash: 'Open file',
});

function entityItems(entity: EntityRef, actions: EntityActions, close: () => void): JSX.Element {
  const item = (
    text: string,
    icon: Icon,
    act: ((entity: EntityRef) => void) | undefined,
    spec?: KeySpec,
    can: (entity: EntityRef) => boolean = () => true,
  ): Command | undefined =>
    act && can(entity)
      ? {
          ...spec,
          text,
          icon,
          run: () => {
            close();
            act(entity);
          },
        }
      : undefined;
  const { filterFor, filterOut, open, clicked, map, except, copyDefanged, copy } = actions;
  const opens = OPEN_WORDS[entity.kind] ?? 'Open';
  return menuItems(
    [
      item('Filter for', FilterKeep, filterFor, ROWS.filterFor),
      item('Filter out', FilterRemove, filterOut, ROWS.filterOut),
      item(opens, DocumentShare, open, ROWS.open, actions.canOpen),
      item('Who clicked', HandUp, clicked, undefined, actions.canClicked),
      item('Open on the login map', Globe, map, undefined, actions.canMap),
      item('Create exception', Disable, except, undefined, actions.canExcept),
    ],
    [item('Copy defanged', Shield, copyDefanged, ROWS.copy), item('Copy raw', Clipboard, copy, ROWS.copyRaw)],
  );
}

interface OpenState {
  anchor: MenuAnchor;
  entity: EntityRef;
  actions: EntityActions;
}

/** Hosts the window's single entity menu; wraps the app inside the theme. */
export function EntityMenuHost({ children }: { children: ReactNode }): JSX.Element {
  const [state, setState] = useState<OpenState | null>(null);
  const open = useCallback(
    (anchor: MenuAnchor, entity: EntityRef, actions: EntityActions) => setState({ anchor, entity, actions }),
    [],
  );
  const close = useCallback(() => setState(null), []);
  return (
    <EntityMenuContext value={open}>
      {children}
      {state === null ? null : (
        <PortalMenu
          anchor={state.anchor}
          label={`Actions for ${state.entity.called ?? state.entity.value}`}
          onClose={close}
        >
          {entityItems(state.entity, state.actions, close)}
        </PortalMenu>
      )}
    </EntityMenuContext>
  );
}
