import { Menu, MenuDivider, MenuItem } from '@blueprintjs/core';
import { ChevronDown } from '@blueprintjs/icons';
import { type JSX, useState } from 'react';
import { menuItems, useCommands } from '#renderer/commands/command.tsx';
import { cap, EVERYWHERE } from '#renderer/commands/keys.ts';
import { iconOf } from '#renderer/commands/screen-icons.ts';
import { splitNow, WINDOW } from '#renderer/commands/window-commands.ts';
import { activateTab, useTabs } from '#renderer/state/tabs.ts';
import { MenuPopover } from '#renderer/ui/menu/menu-popover.tsx';
import { exact, plural, visibleText } from '#shared/model/format.ts';

function TabsMenuItems(): JSX.Element {
  const { tabs, active, dirty, closed } = useTabs();
  const isOff = tabs.length < 2;
  const last = closed.at(-1)?.tab;
  return (
    <Menu aria-label="Open tabs" className="pp-tabs-menu">
      {menuItems([
        { ...splitNow(), isOff },
        { ...WINDOW.closeOthers, isOff },
        {
          ...WINDOW.reopenTab,
          ...(last ? { label: `Reopen ${visibleText(last.title)}` } : {}),
          isOff: !last,
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
