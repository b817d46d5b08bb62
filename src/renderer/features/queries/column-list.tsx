import { HTMLSelect, InputGroup } from '@blueprintjs/core';
import { ArrowDown, ArrowUp, Cross, DragHandleVertical } from '@blueprintjs/icons';
import { type JSX, useRef } from 'react';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { useListeners } from '#renderer/ui/use-listeners.ts';
import type { Column, QueryConfig } from '#shared/model/entities.ts';
import { MAX_WIDTH, withColumn, withoutColumn, withPlace, withWidth } from './columns-edit.ts';
import { fieldsById } from './query-run.ts';

function Row(props: {
  column: Column;
  known: boolean;
  onPlace: (to: number) => void;
  onWidth: (width: number | null) => void;
  onDrop: (id: string) => void;
  onRemove: () => void;
  at: number;
}): JSX.Element {
  const { column, known, at, onPlace, onWidth, onDrop, onRemove } = props;
  const row = useRef<HTMLDivElement>(null);
  const name = column.label || column.id;
  useListeners(row, {
    dragstart: (event) => event.dataTransfer?.setData('text/parapet-query-column', column.id),
    dragover: (event) => {
      if (event.dataTransfer?.types.includes('text/parapet-query-column')) event.preventDefault();
    },
    drop: (event) => {
      const id = event.dataTransfer?.getData('text/parapet-query-column');
      if (!id) return;
      event.preventDefault();
      onDrop(id);
    },
    keydown: (event) => {
      const step = event.altKey ? { ArrowUp: -1, ArrowDown: 1 }[event.key] : undefined;
      if (step === undefined) return;
      event.preventDefault();
      onPlace(at + step);
    },
  });
  return (
    <div ref={row} className="pp-shape-row" draggable data-column={column.id}>
      <DragHandleVertical size={14} />
      <span className="pp-ellipsis" title={name}>
        {name}
        {known ? null : <span className="pp-caution"> · not a field of this service</span>}
      </span>
      <InputGroup
        size="small"
        type="number"
        min={40}
        max={MAX_WIDTH}
        aria-label={`Width of ${name} in pixels`}
        placeholder="Auto"
        value={column.width == null ? '' : String(column.width)}
        onValueChange={(text) => onWidth(text === '' ? null : Number(text))}
      />
      <IconButton
        small
        icon={<ArrowUp size={12} />}
        label={`Move ${name} up`}
        onClick={() => onPlace(at - 1)}
      />
      <IconButton
        small
        icon={<ArrowDown size={12} />}
        label={`Move ${name} down`}
        onClick={() => onPlace(at + 1)}
      />
      <IconButton small icon={<Cross size={12} />} label={`Remove ${name}`} onClick={onRemove} />
    </div>
  );
}

/** Columns in order with their widths: drag, Alt arrows or buttons move them. */
export function ColumnList(props: {
  label: string;
  note?: string;
  config: QueryConfig;
  columns: readonly Column[];
  onChange: (columns: Column[]) => void;
}): JSX.Element {
  const { label, note, config, columns, onChange } = props;
  const fields = fieldsById(config);
  const left = config.fields.filter(({ id }) => !columns.some((column) => column.id === id));
  const groups = [...new Set(left.map(({ group }) => group ?? 'Fields'))];
  return (
    <div className="pp-shape-part">
      <fieldset className="pp-shape-list" aria-label={label}>
        {columns.length === 0 ? <p className="pp-qb-none pp-t3">{note ?? 'The default columns.'}</p> : null}
        {columns.map((column, at) => (
          <Row
            key={column.id}
            column={column}
            at={at}
            known={fields.has(column.id)}
            onPlace={(to) => onChange(withPlace(columns, column.id, to))}
            onWidth={(width) => onChange(withWidth(columns, column.id, width))}
            onDrop={(id) => onChange(withPlace(columns, id, at))}
            onRemove={() => onChange(withoutColumn(columns, column.id))}
          />
        ))}
      </fieldset>
      <HTMLSelect
        aria-label={`Add to ${label.toLowerCase()}`}
        value=""
        onChange={({ currentTarget }) => {
          const field = fields.get(currentTarget.value);
          if (field) onChange(withColumn(columns, field));
        }}
      >
        <option value="">Add a column…</option>
        {groups.map((group) => (
          <optgroup key={group} label={group}>
            {left
              .filter((field) => (field.group ?? 'Fields') === group)
              .map((field) => (
                <option key={field.id} value={field.id}>
                  {field.label}
                </option>
              ))}
          </optgroup>
        ))}
      </HTMLSelect>
    </div>
  );
}
