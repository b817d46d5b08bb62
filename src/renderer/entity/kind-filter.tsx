import { Button, Menu, MenuDivider, MenuItem } from '@blueprintjs/core';
import { CaretDown, Filter } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { MenuPopover } from '#renderer/ui/menu/menu-popover.tsx';
import { exact } from '#shared/model/format.ts';
import { type EventKind, KIND_LABELS, type KindChoice } from './events.ts';

interface KindFilterProps {
  /** Kinds to offer, with how many events there are, or null if not counted. */
  counts: ReadonlyMap<EventKind, number | null>;
  chosen: KindChoice;
  onChange: (chosen: KindChoice) => void;
  /** Shows the icon alone where space is tight. */
  small?: boolean;
}

const wordsOf = (chosen: KindChoice): string => {
  const [only] = chosen;
  if (only === undefined) return 'All events';
  return chosen.size === 1 ? KIND_LABELS[only] : `${exact(chosen.size)} types`;
};

/** Filters by event types; choosing none shows all. */
export function KindFilter({ counts, chosen, onChange, small = false }: KindFilterProps): JSX.Element {
  const toggle = (kind: EventKind) => {
    const next = new Set(chosen);
    if (!next.delete(kind)) next.add(kind);
    onChange(next);
  };
  const label = `Event types: ${wordsOf(chosen)}`;
  return (
    <MenuPopover
      placement="bottom-end"
      content={
        <Menu role="listbox" aria-label="Event types" aria-multiselectable>
          <MenuItem
            roleStructure="listoption"
            selected={chosen.size === 0}
            text="All events"
            shouldDismissPopover={false}
            onClick={() => onChange(new Set())}
          />
          <MenuDivider />
          {[...counts].map(([kind, count]) => (
            <MenuItem
              key={kind}
              roleStructure="listoption"
              selected={chosen.has(kind)}
              text={KIND_LABELS[kind]}
              {...(count === null ? {} : { labelElement: <span className="pp-num">{exact(count)}</span> })}
              shouldDismissPopover={false}
              onClick={() => toggle(kind)}
            />
          ))}
        </Menu>
      }
    >
      {small ? (
        <IconButton small icon={<Filter size={14} />} label={label} outlined={chosen.size > 0} />
      ) : (
        <Button
          size="small"
          icon={<Filter size={12} />}
          endIcon={<CaretDown size={12} />}
          text={wordsOf(chosen)}
          aria-label={label}
        />
      )}
    </MenuPopover>
  );
}
