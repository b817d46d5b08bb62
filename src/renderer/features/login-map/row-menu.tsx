import { MenuDivider, MenuItem } from '@blueprintjs/core';
import { Clipboard, FilterKeep, FilterRemove, InfoSign, Person, SearchText } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { copyText, openNewQueryWith } from '#renderer/state/entity-actions.ts';
import { PortalMenu } from '#renderer/ui/entity-menu.tsx';
import type { MenuAnchor } from '#renderer/ui/entity-value.tsx';
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

/** The actions for a point or a row. */
export function RowMenu({ row, anchor, onClose, onUser, onFilter, onDetails }: RowMenuProps): JSX.Element {
  const values: [Part, string][] = [
    ['users', row.user],
    ['ips', row.ip],
    ['countries', row.country],
  ];
  const item = (text: string, icon: JSX.Element, act: () => void) => (
    <MenuItem
      key={text}
      text={text}
      icon={icon}
      onClick={() => {
        onClose();
        act();
      }}
    />
  );
  const known = values.filter(([, value]) => value !== '');
  return (
    <PortalMenu
      anchor={anchor}
      label={`Actions for the login of ${row.user || 'an unknown user'}`}
      onClose={onClose}
    >
      {row.user ? item('Show only this user', <Person size={14} />, () => onUser(row.user)) : null}
      {row.user
        ? item(
            'Query this user’s email',
            <SearchText size={14} />,
            () => void openNewQueryWith({ kind: 'email', value: row.user }),
          )
        : null}
      {row.user ? <MenuDivider /> : null}
      {known.map(([part, value]) =>
        item(`Filter for ${PART_NOUNS[part]} ${visibleText(value)}`, <FilterKeep size={14} />, () =>
          onFilter(part, value, false),
        ),
      )}
      {known.map(([part, value]) =>
        item(`Filter out ${PART_NOUNS[part]} ${visibleText(value)}`, <FilterRemove size={14} />, () =>
          onFilter(part, value, true),
        ),
      )}
      <MenuDivider />
      {row.id > 0 ? item('Show details', <InfoSign size={14} />, onDetails) : null}
      {row.ip
        ? item('Copy IP address', <Clipboard size={14} />, () => void copyText(row.ip, 'Copied'))
        : null}
      {row.ip
        ? item(
            'Copy IP address, defanged',
            <Clipboard size={14} />,
            () => void copyText(defang(row.ip), 'Copied, defanged'),
          )
        : null}
    </PortalMenu>
  );
}
