import { Clipboard, FilterKeep, FilterRemove, InfoSign, Person, SearchText } from '@blueprintjs/icons';
import type { ComponentType, JSX } from 'react';
import { type Command, menuItems } from '#renderer/commands/command.tsx';
import { copyText, openNewQueryWith } from '#renderer/state/entity-actions.ts';
import type { MenuAnchor } from '#renderer/ui/entity-value.tsx';
import { PortalMenu } from '#renderer/ui/menu/portal-menu.tsx';
import { defang } from '#shared/model/defang.ts';
import { visibleText } from '#shared/model/format.ts';
import type { LoginRow } from './engine.ts';
import type { Part } from './filter-state.ts';
import { PART_NOUNS } from './labels.ts';

interface RowMenuProps {
  row: LoginRow;
  anchor: MenuAnchor;
  onClose: () => void;
  /** Shows only this user's logins and removes all other filters. */
  onUser: (user: string) => void;
  onFilter: (part: Part, value: string, out: boolean) => void;
  onDetails: () => void;
}

export function RowMenu({ row, anchor, onClose, onUser, onFilter, onDetails }: RowMenuProps): JSX.Element {
  const values: [Part, string][] = [
    ['users', row.user],
    ['ips', row.ip],
    ['countries', row.country],
  ];
  const item = (text: string, icon: ComponentType<{ size?: number }>, act: () => unknown): Command => ({
    text,
    icon,
    run: () => {
      onClose();
      act();
    },
  });
  const filled = values.filter(([, value]) => value !== '');
  return (
    <PortalMenu
      anchor={anchor}
      label={`Actions for the login of ${row.user || 'an unknown user'}`}
      onClose={onClose}
    >
      {menuItems(
        row.user
          ? [
              item('Show only this user', Person, () => onUser(row.user)),
              item('Query this user’s email', SearchText, () =>
                openNewQueryWith({ kind: 'email', value: row.user }),
              ),
            ]
          : [],
        [
          ...filled.map(([part, value]) =>
            item(`Filter for ${PART_NOUNS[part]} ${visibleText(value)}`, FilterKeep, () =>
              onFilter(part, value, false),
            ),
          ),
          ...filled.map(([part, value]) =>
            item(`Filter out ${PART_NOUNS[part]} ${visibleText(value)}`, FilterRemove, () =>
              onFilter(part, value, true),
            ),
          ),
        ],
        [
          row.id > 0 && item('Show details', InfoSign, onDetails),
          row.ip !== '' && item('Copy IP address', Clipboard, () => copyText(row.ip, 'Copied')),
          row.ip !== '' &&
            item('Copy IP address, defanged', Clipboard, () => copyText(defang(row.ip), 'Copied, defanged')),
        ],
      )}
    </PortalMenu>
  );
}
