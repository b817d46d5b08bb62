import { MenuDivider, MenuItem } from '@blueprintjs/core';
import { Filter } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { menuItems } from '#renderer/commands/command.tsx';
import { openWith } from '#renderer/state/tab-payload.ts';
import type { EntityRef } from '#renderer/ui/entity-value.tsx';
import { visibleText } from '#shared/model/format.ts';

export interface ExceptionOffer {
  label: string;
  shown: string;
  value: EntityRef;
}

/**
 * "Create exception from" and its values, in the menu itself: a submenu would be cut off where the menu scrolls. The
 * exceptions editor opens prefilled.
 */
export function ExceptionItems(props: {
  offers: readonly ExceptionOffer[];
  from: { type: 'email' | 'file'; entityId: string; title: string };
}): JSX.Element {
  const { offers, from } = props;
  if (offers.length === 0)
    return <MenuItem text="Create exception from" icon={<Filter size={14} />} disabled />;
  return menuItems([
    <MenuDivider key="title" title="Create exception from" />,
    ...offers.map(({ label, shown, value }) => ({
      text: visibleText(label),
      icon: Filter,
      note: <span className="en-menu-value">{visibleText(shown)}</span>,
      run: () => openWith('exceptions', { prefill: { value, from } }),
    })),
    <MenuDivider key="end" />,
  ]);
}
