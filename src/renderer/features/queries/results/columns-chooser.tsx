import { Button, Checkbox, InputGroup } from '@blueprintjs/core';
import { AlignmentLeft, AlignmentRight, DragHandleVertical, Search } from '@blueprintjs/icons';
import { type JSX, useRef, useState } from 'react';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { pinnedSide } from '#renderer/ui/pinned.ts';
import { useListeners } from '#renderer/ui/use-listeners.ts';
import type { FieldConfig, QueryConfig } from '#shared/model/entities.ts';
import { type LayoutColumn, shownIds, withMoved, withPinned, withShown, withStep } from '../columns-edit.ts';

interface ChooserProps {
  config: QueryConfig;
  columns: readonly LayoutColumn[];
  onChange: (columns: LayoutColumn[]) => void;
  onReset: () => void;
  /** Saves the visible columns with the query. */
  onSaveToQuery?: () => void;
}

const SIDES = [
  { side: 'left', Icon: AlignmentLeft },
  { side: 'right', Icon: AlignmentRight },
] as const;

function ShownColumn(props: {
  id: string;
  label: string;
  pinned: 'left' | 'right' | null;
  onPin: (side: 'left' | 'right' | null) => void;
  onHide: () => void;
  onStep: (step: 1 | -1) => void;
  onDropped: (id: string, behind: boolean) => void;
}): JSX.Element {
  const row = useRef<HTMLDivElement>(null);
  const { id, label, pinned, onPin, onHide, onStep, onDropped } = props;
  useListeners(row, {
    dragstart: (event) => event.dataTransfer?.setData('text/parapet-column', id),
    dragover: (event) => {
      if (event.dataTransfer?.types.includes('text/parapet-column')) event.preventDefault();
    },
    drop: (event) => {
      const from = event.dataTransfer?.getData('text/parapet-column');
      const box = row.current?.getBoundingClientRect();
      if (!from || !box) return;
      event.preventDefault();
      onDropped(from, event.clientY > box.top + box.height / 2);
    },
    keydown: (event) => {
      const step = event.altKey ? { ArrowUp: -1 as const, ArrowDown: 1 as const }[event.key] : undefined;
      if (step === undefined) return;
      event.preventDefault();
      onStep(step);
    },
  });
  return (
    <div ref={row} className="pp-chooser-row" draggable>
      <DragHandleVertical size={14} />
      <Checkbox checked label={label} title={`${label}: Alt ↑ ↓ to move`} onChange={onHide} />
      {SIDES.map(({ side, Icon }) => (
        <IconButton
          key={side}
          small
          active={pinned === side}
          icon={<Icon size={12} />}
          label={pinned === side ? `Unpin ${label}` : `Pin ${label} ${side}`}
          onClick={() => onPin(pinned === side ? null : side)}
        />
      ))}
    </div>
  );
}

/** Which columns show and in what order; search, groups, drag or Alt arrows. */
export function ColumnsChooser({
  config,
  columns,
  onChange,
  onReset,
  onSaveToQuery,
}: ChooserProps): JSX.Element {
  const [search, setSearch] = useState('');
  const labels = new Map(config.fields.map(({ id, label }) => [id, label]));
  const matches = (label: string) => label.toLowerCase().includes(search.trim().toLowerCase());
  // A column that the service no longer has stays in the list and is marked.
  const shown = shownIds(columns);
  const labelOf = (id: string) => labels.get(id) ?? `${id} (missing)`;
  const rest = config.fields.filter(({ id, label }) => !shown.includes(id) && matches(label));
  const groups = new Map<string, FieldConfig[]>();
  for (const field of rest) {
    const group = field.group ?? 'Fields';
    groups.set(group, [...(groups.get(group) ?? []), field]);
  }
  return (
    <div className="pp-chooser">
      <InputGroup
        leftIcon={<Search size={14} />}
        aria-label="Search columns"
        placeholder="Search columns"
        value={search}
        onValueChange={setSearch}
        autoFocus
      />
      <div className="pp-chooser-list">
        <fieldset>
          <legend>Visible, in this order</legend>
          {shown
            .filter((id) => matches(labelOf(id)))
            .map((id) => (
              <ShownColumn
                key={id}
                id={id}
                label={labelOf(id)}
                pinned={pinnedSide(columns.find((column) => column.id === id)?.pinned)}
                onPin={(side) => onChange(withPinned(columns, id, side))}
                onHide={() => {
                  if (shown.length > 1) onChange(withShown(columns, id, false));
                }}
                onStep={(step) => onChange(withStep(columns, id, step))}
                onDropped={(from, behind) => onChange(withMoved(columns, from, id, behind))}
              />
            ))}
        </fieldset>
        {[...groups].map(([group, fields]) => (
          <fieldset key={group}>
            <legend>{group}</legend>
            {fields.map(({ id, label }) => (
              <div key={id} className="pp-chooser-row">
                <Checkbox
                  checked={false}
                  label={label}
                  onChange={() => onChange(withShown(columns, id, true))}
                />
              </div>
            ))}
          </fieldset>
        ))}
      </div>
      <div className="pp-chooser-foot">
        <Button size="small" variant="minimal" text="Reset" onClick={onReset} />
        <span className="pp-spacer" />
        {onSaveToQuery ? <Button size="small" text="Save to query" onClick={onSaveToQuery} /> : null}
      </div>
    </div>
  );
}
