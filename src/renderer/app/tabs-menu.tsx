import { Menu, MenuDivider, MenuItem } from '@blueprintjs/core';
import { AddColumnRight, ChevronDown, Cross, Undo } from '@blueprintjs/icons';
import { type JSX, useState } from 'react';
import { menuItems, useCommands } from '#renderer/commands/command.tsx';
import { cap, EVERYWHERE } from '#renderer/commands/keys.ts';
import { splitTabs } from '#renderer/state/split.ts';
import { activateTab, closeOtherTabs, reopenTab, useTabs } from '#renderer/state/tabs.ts';
import { MenuPopover } from '#renderer/ui/menu/menu-popover.tsx';
import { exact, plural, visibleText } from '#shared/model/format.ts';
import { iconOf } from './screens.tsx';

function TabsMenuItems(): JSX.Element {
  const { tabs, active, dirty, closed, split } = useTabs();
  const last = closed.at(-1)?.tab;
  return (
    <Menu aria-label="Open tabs" className="pp-tabs-menu">
      {menuItems([
        {
          ...EVERYWHERE.split,
          label: split === null ? 'Split view' : 'End split view',
          icon: AddColumnRight,
          isOff: tabs.length < 2,
          run: splitTabs,
        },
        { ...EVERYWHERE.closeOthers, icon: Cross, isOff: tabs.length < 2, run: () => closeOtherTabs() },
        {
          ...EVERYWHERE.reopenTab,
          ...(last ? { label: `Reopen ${visibleText(last.title)}` } : {}),
          icon: Undo,
          isOff: !last,
          run: () => reopenTab(),
        },
      ])}
      <MenuDivider />
      {tabs.map(({ id, route, title }) => {
        const Icon = iconOf(route);
        return (
          <MenuItem
            key={id}
            role="menuitemradio"
            aria-checked={id === active}
            className={id === active ? 'bp6-active' : ''}
            icon={<Icon size={14} />}
            text={visibleText(title)}
            label={dirty.has(id) ? 'unsaved' : ''}
            onClick={() => activateTab(id)}
          />
        );
      })}
    </Menu>
  );
}

/** Lists all open tabs with their full names, including those out of view, and the actions on several tabs. */
export function TabsMenu(): JSX.Element {
  const [open, setOpen] = useState(false);
  const count = useTabs((store) => store.tabs.length);
  useCommands([{ ...EVERYWHERE.tabs, run: () => setOpen(true) }]);
  return (
    <MenuPopover isOpen={open} onInteraction={setOpen} content={<TabsMenuItems />} placement="bottom-end">
      <button
        type="button"
        className="pp-bar-button pp-tabs-count"
        aria-haspopup="menu"
        aria-label={`List of ${plural(count, 'tab')}`}
        title={`List of tabs (${cap(EVERYWHERE.tabs)})`}
      >
        {exact(count)}
        <ChevronDown size={12} />
      </button>
    </MenuPopover>
  );
}
