import { Menu, MenuDivider, MenuItem } from '@blueprintjs/core';
import { AddColumnRight, ChevronDown, Cross, Undo } from '@blueprintjs/icons';
import { type JSX, useState } from 'react';
import { useHotkeys } from '#renderer/state/hotkeys.ts';
import { splitTabs } from '#renderer/state/split.ts';
import { activateTab, closeOtherTabs, reopenTab, useTabs } from '#renderer/state/tabs.ts';
import { Kbd } from '#renderer/ui/kbd.tsx';
import { MenuPopover } from '#renderer/ui/menu-popover.tsx';
import { exact, plural, visibleText } from '#shared/model/format.ts';
import { iconOf } from './screens.tsx';

function TabsMenuItems(): JSX.Element {
  const { tabs, active, dirty, closed, split } = useTabs();
  const last = closed.at(-1)?.tab;
  return (
    <Menu aria-label="Open tabs" className="pp-tabs-menu">
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
      <MenuDivider />
      <MenuItem
        icon={<AddColumnRight size={14} />}
        text={split === null ? 'Split view' : 'End split view'}
        disabled={tabs.length < 2}
        labelElement={<Kbd keys="Alt S" />}
        onClick={splitTabs}
      />
      <MenuItem
        icon={<Cross size={14} />}
        text="Close other tabs"
        disabled={tabs.length < 2}
        labelElement={<Kbd keys="Alt Shift W" />}
        onClick={() => closeOtherTabs()}
      />
      <MenuItem
        icon={<Undo size={14} />}
        text={last ? `Reopen ${visibleText(last.title)}` : 'Reopen closed tab'}
        disabled={!last}
        labelElement={<Kbd keys="Alt Shift T" />}
        onClick={() => reopenTab()}
      />
    </Menu>
  );
}

/** Lists all open tabs with their full names, including those out of view, and the actions on several tabs. */
export function TabsMenu(): JSX.Element {
  const [open, setOpen] = useState(false);
  const count = useTabs((store) => store.tabs.length);
  useHotkeys([
    { keys: ['Alt+T'], text: 'List of tabs', group: 'Everywhere', inInputs: true, run: () => setOpen(true) },
  ]);
  return (
    <MenuPopover isOpen={open} onInteraction={setOpen} content={<TabsMenuItems />} placement="bottom-end">
      <button
        type="button"
        className="pp-bar-button pp-tabs-count"
        aria-haspopup="menu"
        aria-label={`List of ${plural(count, 'tab')}`}
        title="List of tabs (Alt T)"
      >
        {exact(count)}
        <ChevronDown size={12} />
      </button>
    </MenuPopover>
  );
}
