import { HTMLSelect, InputGroup } from '@blueprintjs/core';
import { ArrowDown, ArrowUp, Cross, DragHandleVertical, TwoColumns } from '@blueprintjs/icons';
import { type JSX, useRef, useState } from 'react';
import { ConfirmDialog } from '#renderer/ui/dialog.tsx';
import { Field, Select } from '#renderer/ui/form/field.tsx';
import { Segmented } from '#renderer/ui/form/segmented.tsx';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { useListeners } from '#renderer/ui/use-listeners.ts';
import type { Column, NewQuery, QueryConfig, Sort } from '#shared/model/entities.ts';
import { emptyGroup } from '#shared/query/tree.ts';
import { validate } from '#shared/query/validate.ts';
import { TreeEditor } from './builder/tree-editor.tsx';
import {
  MAX_LABEL,
  MAX_WIDTH,
  withColumn,
  withLabel,
  withoutColumn,
  withPlace,
  withWidth,
} from './columns-edit.ts';
import { SHAPE_PARTS } from './labels.ts';
import { canSortBy, fieldsById, queryColumns } from './query-run.ts';

function Row(props: {
  column: Column;
  /** The service's label, or null if it has no such field. */
  fieldLabel: string | null;
  onLabel: (label: string) => void;
  onPlace: (to: number) => void;
  onWidth: (width: number | null) => void;
  onDrop: (id: string) => void;
  onRemove: () => void;
  at: number;
}): JSX.Element {
  const { column, fieldLabel, at, onLabel, onPlace, onWidth, onDrop, onRemove } = props;
  const row = useRef<HTMLDivElement>(null);
  const name = column.label || fieldLabel || column.id;
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
      <InputGroup
        size="small"
        fill
        maxLength={MAX_LABEL}
        aria-label={`Label of ${fieldLabel ?? column.id}`}
        placeholder={fieldLabel ?? column.id}
        value={column.label}
        {...(fieldLabel === null ? { rightElement: <span className="pp-caution">missing</span> } : {})}
        onValueChange={onLabel}
      />
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
function ColumnList(props: {
  label: string;
  note?: string;
  config: QueryConfig;
  columns: readonly Column[];
  onChange: (columns: Column[]) => void;
}): JSX.Element {
  const { label, note, config, columns, onChange } = props;
  const fields = fieldsById(config);
  const unlisted = config.fields.filter(({ id }) => !columns.some((column) => column.id === id));
  const groups = [...new Set(unlisted.map(({ group }) => group ?? 'Fields'))];
  return (
    <div className="pp-shape-part">
      <fieldset className="pp-shape-list" aria-label={label}>
        {columns.length === 0 ? <p className="pp-qb-none pp-t3">{note ?? 'Default columns'}</p> : null}
        {columns.map((column, index) => (
          <Row
            key={column.id}
            column={column}
            at={index}
            fieldLabel={fields.get(column.id)?.label ?? null}
            onLabel={(text) => onChange(withLabel(columns, column.id, text))}
            onPlace={(to) => onChange(withPlace(columns, column.id, to))}
            onWidth={(width) => onChange(withWidth(columns, column.id, width))}
            onDrop={(id) => onChange(withPlace(columns, id, index))}
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
            {unlisted
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

function SortFields(props: {
  config: QueryConfig;
  sort: Sort | null;
  onSort: (sort: Sort | null) => void;
}): JSX.Element {
  const { config, sort, onSort } = props;
  const sortable = config.fields.filter(canSortBy);
  const unknown =
    sort && !sortable.some(({ dbId }) => dbId === sort.dbId) ? [{ value: sort.dbId, label: sort.dbId }] : [];
  return (
    <Field label="Sort by">
      {(id) => (
        <span className="pp-shape-add">
          <Select
            id={id}
            value={sort?.dbId ?? ''}
            options={[
              { value: '', label: 'Service default' },
              ...unknown,
              ...sortable.map(({ dbId, label }) => ({ value: dbId, label })),
            ]}
            onChange={(value) =>
              onSort(value === '' ? null : { dbId: value, direction: sort?.direction ?? 'desc' })
            }
          />
          <Select
            aria-label="Direction"
            disabled={sort === null}
            value={sort?.direction ?? 'desc'}
            options={[
              { value: 'asc', label: 'Ascending' },
              { value: 'desc', label: 'Descending' },
            ]}
            onChange={(direction) => onSort(sort && { ...sort, direction })}
          />
        </span>
      )}
    </Field>
  );
}

type Shape = Pick<NewQuery, 'columns' | 'sort' | 'reportColumns' | 'reportCondition'>;

/** Columns, sort, report columns and report condition: what is saved with the query, for everyone. */
export function ShapeDialog(props: {
  query: NewQuery;
  config: QueryConfig;
  /** The part that is shown first. */
  first: 'columns' | 'report';
  onSave: (shape: Shape) => void;
  onClose: () => void;
}): JSX.Element {
  const { query, config, onSave, onClose } = props;
  const [part, setPart] = useState(props.first);
  const [columns, setColumns] = useState(() => queryColumns(query, config));
  const [sort, setSort] = useState<Sort | null>(query.sort?.[0] ?? null);
  const [reportColumns, setReportColumns] = useState(query.reportColumns ?? []);
  const [reportTree, setReportTree] = useState(query.reportCondition ?? emptyGroup());
  const problems = validate(reportTree, config);
  const save = () => {
    if (problems.length > 0) {
      setPart('report');
      return;
    }
    onSave({
      columns,
      sort: sort ? [sort, ...(query.sort ?? []).slice(1).filter(({ dbId }) => dbId !== sort.dbId)] : [],
      reportColumns: reportColumns.length > 0 ? reportColumns : null,
      reportCondition: reportTree.conditions.length > 0 ? reportTree : null,
    });
    onClose();
  };
  return (
    <ConfirmDialog
      size="wide"
      title="Columns, sort and report"
      icon={<TwoColumns size={14} />}
      onClose={onClose}
      onConfirm={save}
      footNote={<span className="pp-t2">Saved with the query. Your own layout takes precedence.</span>}
      confirm={{ text: 'Apply', disabled: problems.length > 0 }}
    >
      <Segmented label="Section" options={SHAPE_PARTS} value={part} onChange={setPart} />
      {part === 'columns' ? (
        <div className="pp-shape-part">
          <ColumnList label="Columns" config={config} columns={columns} onChange={setColumns} />
          <SortFields config={config} sort={sort} onSort={setSort} />
        </div>
      ) : (
        <div className="pp-shape-part">
          <ColumnList
            label="Report columns"
            note="None: the query's columns are used."
            config={config}
            columns={reportColumns}
            onChange={setReportColumns}
          />
          <span className="pp-caption pp-t3">Report condition, in addition to the query's</span>
          <TreeEditor
            config={config}
            tree={reportTree}
            problems={problems}
            onEdit={(change) => setReportTree(change)}
          />
        </div>
      )}
    </ConfirmDialog>
  );
}
