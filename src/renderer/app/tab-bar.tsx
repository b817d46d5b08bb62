import { Cross, Plus } from '@blueprintjs/icons';
import { type JSX, useEffect, useRef } from 'react';
import { cap } from '#renderer/commands/keys.ts';
import { iconOf } from '#renderer/commands/screen-icons.ts';
import { WINDOW } from '#renderer/commands/window-commands.ts';
import { activateTab, closeTab, moveTab, stepTab, useTabs } from '#renderer/state/tabs.ts';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { directionOf } from '#renderer/ui/text-direction.ts';
import { useListeners } from '#renderer/ui/use-listeners.ts';
import type { Tab } from '#shared/bridge/workspace.ts';
import { visibleText } from '#shared/model/format.ts';
import { TabsMenu } from './tabs-menu.tsx';

const tabDomId = (id: string) => `screen-tab-${id}`;

function TabButton({
  tab,
  isActive,
  isBeside,
  isDirty,
}: {
  tab: Tab;
  isActive: boolean;
  isBeside: boolean;
  isDirty: boolean;
}): JSX.Element {
  const Icon = iconOf(tab.route);
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const tab = root.current;
    if (!isActive || !tab?.parentElement) return undefined;
    // It reports once after the next layout, as doing it now would lay out the new screen twice, and again when the
    // window is made smaller or zoomed, which would leave the tab in front out of sight.
    const observer = new ResizeObserver(() => tab.scrollIntoView({ block: 'nearest', inline: 'nearest' }));
    observer.observe(tab.parentElement);
    return () => observer.disconnect();
  }, [isActive]);
  return (
    <div
      ref={root}
      className={`pp-tab${isActive ? ' pp-tab-active' : isBeside ? ' pp-tab-beside' : ''}`}
      data-tab={tab.id}
      draggable
      role="presentation"
    >
      <button
        type="button"
        role="tab"
        id={tabDomId(tab.id)}
        aria-controls={`screen-panel-${tab.id}`}
        aria-selected={isActive}
        tabIndex={isActive ? 0 : -1}
        title={visibleText(tab.title)}
        onClick={() => activateTab(tab.id)}
      >
        <Icon size={14} />
        <span className="pp-ellipsis" dir={directionOf(tab.title)}>
          {visibleText(tab.title)}
        </span>
        {isDirty ? (
          <span className="pp-tab-dirty" role="img" aria-label="Unsaved changes" title="Unsaved changes" />
        ) : null}
      </button>
      <button
        type="button"
        className="pp-tab-close"
        aria-label={`Close ${visibleText(tab.title)}`}
        tabIndex={-1}
        onClick={() => closeTab(tab.id)}
      >
        <Cross size={12} />
      </button>
    </div>
  );
}

const DRAGGED = 'text/x-parapet-tab';
const tabIdAt = (target: EventTarget | null) =>
  target instanceof Element ? target.closest<HTMLElement>('[data-tab]')?.dataset['tab'] : undefined;

/** The strip of tabs: middle click closes, drag moves, arrows and Ctrl Tab switch. */
export function TabBar(): JSX.Element {
  const tabs = useTabs((store) => store.tabs);
  const active = useTabs((store) => store.active);
  const dirty = useTabs((store) => store.dirty);
  const split = useTabs((store) => store.split);
  const root = useRef<HTMLDivElement>(null);
  useListeners(root, {
    keydown: (event) => {
      if (event.key === 'Delete' && active !== null) closeTab(active);
      else if (event.key === 'ArrowRight') stepTab(1);
      else if (event.key === 'ArrowLeft') stepTab(-1);
      else return;
      event.preventDefault();
      requestAnimationFrame(() =>
        root.current?.querySelector<HTMLElement>('[aria-selected="true"]')?.focus(),
      );
    },
    auxclick: (event) => {
      const id = tabIdAt(event.target);
      if (event.button === 1 && id) closeTab(id);
    },
    dragstart: (event) => event.dataTransfer?.setData(DRAGGED, tabIdAt(event.target) ?? ''),
    dragover: (event) => {
      if (event.dataTransfer?.types.includes(DRAGGED)) event.preventDefault();
    },
    drop: (event) => {
      const id = event.dataTransfer?.getData(DRAGGED);
      const places = [...(root.current?.querySelectorAll('[data-tab]') ?? [])].map((tab) =>
        tab.getBoundingClientRect(),
      );
      const position = places.filter((place) => place.left + place.width / 2 < event.clientX).length;
      if (id) moveTab(id, position > tabs.findIndex((tab) => tab.id === id) ? position - 1 : position);
    },
  });
  return (
    <nav className="pp-tab-bar" aria-label="Tabs">
      <div ref={root} className="pp-tab-list">
        {/* Lists only the tabs: the close buttons between them are not part of a tablist. */}
        {tabs.length > 0 ? (
          <span
            role="tablist"
            aria-label="Open tabs"
            aria-owns={tabs.map(({ id }) => tabDomId(id)).join(' ')}
          />
        ) : null}
        {tabs.map((tab) => (
          <TabButton
            key={tab.id}
            tab={tab}
            isActive={tab.id === active}
            isBeside={tab.id === split?.left || tab.id === split?.right}
            isDirty={dirty.has(tab.id)}
          />
        ))}
      </div>
      <IconButton
        small
        icon={<Plus size={14} />}
        label={WINDOW.newQuery.text}
        shortcut={cap(WINDOW.newQuery)}
        onClick={WINDOW.newQuery.run}
      />
      <span className="pp-spacer" />
      <TabsMenu />
    </nav>
  );
}
