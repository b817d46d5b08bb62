import { type CSSProperties, type JSX, useCallback, useMemo, useState } from 'react';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import { fieldCellType } from '#renderer/ui/grid/cells.tsx';
import { DataGrid } from '#renderer/ui/grid/data-grid.tsx';
import type { GridColumn } from '#renderer/ui/grid/grid-columns.tsx';
import { useZoned } from '#renderer/ui/grid/zoned-columns.ts';
import { type BridgeError, toBridgeError } from '#shared/bridge/errors.ts';
import type { PreparedAction } from '#shared/bridge/operations.ts';
import type { QueryConfig, Row } from '#shared/model/entities.ts';

const MOST_COLUMNS = 4;

/** Verdicts first where there are any, then what the service shows by default, as far as the rows have it. */
function previewColumns(config: QueryConfig, first: Row | undefined): GridColumn<Row>[] {
  const fields = new Map(config.fields.map((field) => [field.id, field]));
  const order = [...config.columns].sort((a, b) => a.order - b.order).map(({ id }) => id);
  const ids = [...new Set(['verdict', ...order])]
    .filter((id) => first && id in first && fields.has(id) && fields.get(id)?.multiValues !== true)
    .slice(0, MOST_COLUMNS);
  const widest = ids.find((id) => fields.get(id)?.type === 'text') ?? ids.at(-1);
  return ids.flatMap((id): GridColumn<Row>[] => {
    const field = fields.get(id);
    if (field === undefined) return [];
    const isVerdict = id === 'verdict';
    return [
      {
        id,
        label: field.label,
        type: isVerdict ? 'verdict' : fieldCellType(field.type),
        value: (row) => (isVerdict ? { verdict: String(row[id] ?? '') } : row[id]),
        ...(id === widest ? { flex: 1, minWidth: 160 } : {}),
      },
    ];
  });
}

/** All targets as rows; only those in view are read and drawn. */
export function PreviewGrid({
  prepared,
  config,
}: {
  prepared: PreparedAction;
  config: QueryConfig;
}): JSX.Element {
  const { id, count, preview } = prepared;
  const [error, setError] = useState<BridgeError | null>(null);
  const columns = useZoned(useMemo(() => previewColumns(config, preview[0]), [config, preview]));
  const getRows = useCallback(
    async (start: number, end: number) => {
      if (end <= preview.length || preview.length === count) return { rows: preview.slice(start, end) };
      return windowBridge().call('actions.preview', { preparedId: id, start, end });
    },
    [id, count, preview],
  );
  return (
    <div
      className="pp-action-preview"
      data-targets={count}
      style={{ '--targets': Math.min(count, 100) } as CSSProperties}
    >
      <DataGrid<Row>
        label="Targets"
        layoutKey={id}
        columns={columns}
        rowId={(row) => String(row['entity_id'])}
        rowCount={count}
        getRows={getRows}
        selectable={false}
        error={error}
        errorTitle="Couldn’t load the targets"
        onBlockError={(reason) => setError(toBridgeError(reason))}
      />
    </div>
  );
}
