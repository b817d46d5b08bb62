import { Button, HTMLSelect } from '@blueprintjs/core';
import { TwoColumns } from '@blueprintjs/icons';
import { type JSX, useState } from 'react';
import { Dialog } from '#renderer/ui/dialog.tsx';
import { Field } from '#renderer/ui/field.tsx';
import { Kbd } from '#renderer/ui/kbd.tsx';
import { Segmented } from '#renderer/ui/segmented.tsx';
import type { NewQuery, QueryConfig, Sort } from '#shared/model/entities.ts';
import { emptyGroup } from '#shared/query/tree.ts';
import { validate } from '#shared/query/validate.ts';
import { ColumnList } from './column-list.tsx';
import { queryColumns } from './query-run.ts';
import { TreeEditor } from './tree-editor.tsx';

export type Shape = Pick<NewQuery, 'columns' | 'sort' | 'reportColumns' | 'reportCondition'>;

const PARTS = [
  { value: 'columns', label: 'Columns and sort' },
  { value: 'report', label: 'Report' },
] as const;

/** Columns, sort, report columns and report condition: what is saved with the query, for everyone. */
export function ShapeDialog(props: {
  query: NewQuery;
  config: QueryConfig;
  onSave: (shape: Shape) => void;
  onClose: () => void;
}): JSX.Element {
  const { query, config, onSave, onClose } = props;
  const [part, setPart] = useState<'columns' | 'report'>('columns');
  const [columns, setColumns] = useState(() => queryColumns(query, config));
  const [sort, setSort] = useState<Sort | null>(query.sort?.[0] ?? null);
  const [reportColumns, setReportColumns] = useState(query.reportColumns ?? []);
  const [reportTree, setReportTree] = useState(query.reportCondition ?? emptyGroup());
  const problems = validate(reportTree, config);
  const sortable = config.fields.filter((field) => field.sortable === true);
  const unknownSort =
    sort && !sortable.some(({ dbId }) => dbId === sort.dbId) ? [{ value: sort.dbId, label: sort.dbId }] : [];
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
    <Dialog
      isOpen
      size="wide"
      title="Columns, sort and report"
      icon={<TwoColumns size={14} />}
      onClose={onClose}
      onConfirm={save}
      footNote={<span className="pp-t2">Saved with the query; your own layout stays over it.</span>}
      actions={
        <>
          <Button text="Cancel" onClick={onClose} />
          <Button
            intent="primary"
            text="Apply"
            disabled={problems.length > 0}
            endIcon={<Kbd keys="Ctrl Enter" />}
            onClick={save}
          />
        </>
      }
    >
      <Segmented label="Part of the query" options={PARTS} value={part} onChange={setPart} />
      {part === 'columns' ? (
        <div className="pp-shape-part">
          <ColumnList label="Columns" config={config} columns={columns} onChange={setColumns} />
          <Field label="Sorted by">
            {(id) => (
              <span className="pp-shape-add">
                <HTMLSelect
                  id={id}
                  value={sort?.dbId ?? ''}
                  options={[
                    { value: '', label: 'As the service does' },
                    ...unknownSort,
                    ...sortable.map(({ dbId, label }) => ({ value: dbId, label })),
                  ]}
                  onChange={({ currentTarget: { value } }) =>
                    setSort(value === '' ? null : { dbId: value, direction: sort?.direction ?? 'desc' })
                  }
                />
                <HTMLSelect
                  aria-label="Direction"
                  disabled={sort === null}
                  value={sort?.direction ?? 'desc'}
                  options={[
                    { value: 'asc', label: 'Ascending' },
                    { value: 'desc', label: 'Descending' },
                  ]}
                  onChange={({ currentTarget: { value } }) =>
                    setSort(sort && { ...sort, direction: value === 'asc' ? 'asc' : 'desc' })
                  }
                />
              </span>
            )}
          </Field>
        </div>
      ) : (
        <div className="pp-shape-part">
          <ColumnList
            label="Columns of the report"
            note="None: the query's own columns."
            config={config}
            columns={reportColumns}
            onChange={setReportColumns}
          />
          <span className="pp-caption pp-t3">Condition of the report, on top of the query's</span>
          <TreeEditor
            config={config}
            tree={reportTree}
            problems={problems}
            onEdit={(change) => setReportTree(change)}
          />
        </div>
      )}
    </Dialog>
  );
}
