import type { JSX, KeyboardEvent } from 'react';
import { useEffect, useRef } from 'react';
import { exact } from '#shared/model/format.ts';

export interface TabInfo<T extends string> {
  id: T;
  label: string;
  /** Shown muted after the label; nothing while unknown. */
  count?: number | null | undefined;
  /** Its shortcut, for the tooltip; the screen handles the key. */
  shortcut?: string | undefined;
}

interface TabsStripProps<T extends string> {
  label: string;
  tabs: readonly TabInfo<T>[];
  selected: T;
  onSelect: (id: T) => void;
  /** Prefix of the ids that link tab and tabpanel: `${idPrefix}-tab-x`, `${idPrefix}-panel-x`. */
  idPrefix?: string;
}

/** The tabs of a profile, with counts; arrows, Home and End move. */
export function TabsStrip<T extends string>(props: TabsStripProps<T>): JSX.Element {
  const { tabs, selected, onSelect, idPrefix = 'profile' } = props;
  const root = useRef<HTMLDivElement>(null);
  // In a narrow window not all tabs are visible, and keys select one without focusing it.
  useEffect(() => {
    const strip = root.current;
    const tab = strip?.querySelector<HTMLElement>(`#${CSS.escape(`${idPrefix}-tab-${selected}`)}`);
    if (!strip || !tab) return;
    // The focus would stay on a tab that is no longer selected, and Tab would lead back to it.
    if (strip.contains(document.activeElement)) tab.focus({ preventScroll: true });
    // Fires once at first, and again when a later count widens its tab and would push this one out of view.
    const observer = new ResizeObserver(() => tab.scrollIntoView({ block: 'nearest', inline: 'center' }));
    for (const child of [strip, ...strip.children]) observer.observe(child);
    return () => observer.disconnect();
  }, [idPrefix, selected]);
  const onKeyDown = (event: KeyboardEvent) => {
    // Alt with an arrow navigates back and forward.
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const index = tabs.findIndex((tab) => tab.id === selected);
    const last = tabs.length - 1;
    const to = {
      ArrowRight: index === last ? 0 : index + 1,
      ArrowLeft: index <= 0 ? last : index - 1,
      Home: 0,
      End: last,
    }[event.key];
    const next = to === undefined ? undefined : tabs[to];
    if (!next) return;
    event.preventDefault();
    onSelect(next.id);
  };
  return (
    <div ref={root} role="tablist" aria-label={props.label} className="pp-tabs-strip" onKeyDown={onKeyDown}>
      {tabs.map((tab) => (
        <button
          key={tab.id}
          type="button"
          role="tab"
          id={`${idPrefix}-tab-${tab.id}`}
          aria-controls={`${idPrefix}-panel-${tab.id}`}
          aria-selected={tab.id === selected}
          tabIndex={tab.id === selected ? 0 : -1}
          title={tab.shortcut === undefined ? undefined : `${tab.label} (${tab.shortcut})`}
          aria-keyshortcuts={tab.shortcut}
          onMouseDown={({ button, ctrlKey }) => {
            // By the time the button is released, a new count may have moved the tab away, and no click would follow.
            if (button === 0 && !ctrlKey) onSelect(tab.id);
          }}
          onClick={() => onSelect(tab.id)}
        >
          {tab.label}
          {typeof tab.count === 'number' ? <span className="pp-tab-count">{exact(tab.count)}</span> : null}
        </button>
      ))}
    </div>
  );
}
