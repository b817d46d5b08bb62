import { Add, Cross, Plus } from '@blueprintjs/icons';
import { type JSX, type KeyboardEvent, useEffect, useRef } from 'react';
import { openQuery } from '#renderer/state/navigation.ts';
import { activateTab, closeTab, moveTab, stepTab, useTabs } from '#renderer/state/tabs.ts';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import type { Tab } from '#shared/bridge/workspace.ts';
import { SCREEN_ICONS } from './screens.tsx';

function TabButton({
  tab,
  isActive,
  isDirty,
}: {
  tab: Tab;
  isActive: boolean;
  isDirty: boolean;
}): JSX.Element {
  const Icon = SCREEN_ICONS[tab.route.screen] ?? Add;
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isActive) return undefined;
    // In the next frame, which lays out the window anyway: doing it now would lay out the new screen twice.
    const frame = requestAnimationFrame(() =>
      root.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
    );
    return () => cancelAnimationFrame(frame);
  }, [isActive]);
  return (
    <div
      ref={root}
      className={`pp-tab${isActive ? ' pp-tab-active' : ''}`}
      data-tab={tab.id}
      draggable
      role="presentation"
    >
      <button
        type="button"
        role="tab"
        id={`screen-tab-${tab.id}`}
        aria-controls={`screen-panel-${tab.id}`}
        aria-selected={isActive}
        tabIndex={isActive ? 0 : -1}
        title={tab.title}
        onClick={() => activateTab(tab.id)}
      >
        <Icon size={14} />
        <span className="pp-ellipsis">{tab.title}</span>
        {isDirty ? (
          <span className="pp-tab-dirty" role="img" aria-label="Unsaved changes" title="Unsaved changes" />
        ) : null}
      </button>
      <button
        type="button"
        className="pp-tab-close"
        aria-label={`Close ${tab.title}`}
        tabIndex={-1}
        onClick={() => closeTab(tab.id)}
      >
        <Cross size={12} />
      </button>
    </div>
  );
}

const tabIdAt = (target: EventTarget) =>
  target instanceof Element ? target.closest<HTMLElement>('[data-tab]')?.dataset['tab'] : undefined;

/** The strip of tabs: middle click closes, drag moves, arrows and Ctrl Tab switch. */
export function TabBar(): JSX.Element {
  const tabs = useTabs((store) => store.tabs);
  const active = useTabs((store) => store.active);
  const dirty = useTabs((store) => store.dirty);
  const root = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Delete' && active !== null) closeTab(active);
    else if (event.key === 'ArrowRight') stepTab(1);
    else if (event.key === 'ArrowLeft') stepTab(-1);
    else return;
    event.preventDefault();
    requestAnimationFrame(() => root.current?.querySelector<HTMLElement>('[aria-selected="true"]')?.focus());
  };
  return (
    <div className="pp-tab-bar">
      <div
        ref={root}
        role="tablist"
        aria-label="Open tabs"
        className="pp-tab-list"
        onKeyDown={onKeyDown}
        onAuxClick={(event) => {
          const id = tabIdAt(event.target);
          if (event.button === 1 && id) closeTab(id);
        }}
        onDragStart={(event) => event.dataTransfer.setData('text/x-parapet-tab', tabIdAt(event.target) ?? '')}
        onDragOver={(event) => {
          if (event.dataTransfer.types.includes('text/x-parapet-tab')) event.preventDefault();
        }}
        onDrop={(event) => {
          const id = event.dataTransfer.getData('text/x-parapet-tab');
          const places = [...event.currentTarget.children].map((child) => child.getBoundingClientRect());
          const at = places.filter((place) => place.left + place.width / 2 < event.clientX).length;
          if (id) moveTab(id, at > tabs.findIndex((tab) => tab.id === id) ? at - 1 : at);
        }}
      >
        {tabs.map((tab) => (
          <TabButton key={tab.id} tab={tab} isActive={tab.id === active} isDirty={dirty.has(tab.id)} />
        ))}
      </div>
      <IconButton
        small
        icon={<Plus size={14} />}
        label="New query"
        shortcut="Alt N"
        onClick={() => openQuery()}
      />
    </div>
  );
}
