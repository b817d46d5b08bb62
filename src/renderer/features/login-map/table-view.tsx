import { type JSX, useCallback, useRef } from 'react';
import { useFollowedLayout, useLayout } from '#renderer/state/layout.ts';
import type { EmptyInfo } from '#renderer/ui/empty-state.tsx';
import { DataGrid } from '#renderer/ui/grid/data-grid.tsx';
import { columnsFor, type GridColumn } from '#renderer/ui/grid/grid-columns.tsx';
import type { GridHandle } from '#renderer/ui/grid/grid-handle.ts';
import { useZoned } from '#renderer/ui/grid/zoned-columns.ts';
import { rarityWords } from '#shared/logins/rarity.ts';
import type { LoginRow } from './engine.ts';
import { outcomeLabel } from './labels.ts';
import type { SummaryRows } from './use-logins.ts';

const { column } = columnsFor<LoginRow>();

const columnsOf = (nameOf: (module: string) => string): GridColumn<LoginRow>[] => [
  column('time', 'Time', 'time', 140, ({ time }) => time),
  column('user', 'User', 'address', [2, 240], ({ user }) => user, { menu: ['email', 'users'] }),
  column('rarity', 'Rarity', 'text', 168, rarityWords, {
    render: (row) => (
      <span className="pp-map-rarity">
        <span className={`pp-rar pp-rar-${row.rarity}`} />
        {row.lat === null ? 'Not located' : rarityWords(row)}
      </span>
    ),
  }),
  column('city', 'City', 'text', 130, ({ city }) => city || null),
  column('country', 'Country', 'text', 84, ({ country }) => country || null, {
    menu: ['country', 'countries'],
  }),
  column('ip', 'IP address', 'mono', 150, ({ ip }) => ip || null, { menu: ['ip', 'ips'] }),
  column('logins', 'Logins', 'number', 88, ({ logins }) => logins),
  column('outcome', 'Outcome', 'text', 96, ({ failed }) => outcomeLabel(failed)),
  column('app', 'App', 'text', 150, ({ module }) => nameOf(module)),
  column('lat', 'Latitude', 'number', 88, ({ lat }) => lat, { hidden: true }),
  column('lon', 'Longitude', 'number', 88, ({ lon }) => lon, { hidden: true }),
];

const LAYOUT = 'login-map';

interface TableViewProps {
  count: number;
  empty: EmptyInfo | null;
  rows: SummaryRows['rows'];
  nameOf: (module: string) => string;
  onOpen: (row: LoginRow) => void;
}

/** Every login under the filter as a grid: the map for keyboard and screen reader. */
export function TableView({ rows, count, empty, nameOf, onOpen }: TableViewProps): JSX.Element {
  const [layout, setLayout] = useLayout(LAYOUT);
  const grid = useRef<GridHandle<LoginRow> | null>(null);
  useFollowedLayout(LAYOUT, (theirs) => grid.current?.followLayout(theirs?.columns ?? []));
  const columns = useZoned(columnsOf(nameOf));
  const getRows = useCallback(
    async (start: number, end: number) => ({ rows: await rows(start, end) }),
    [rows],
  );
  return (
    <section className="pp-panel pp-map-table" aria-label="Logins as a table">
      {layout === undefined ? null : (
        <DataGrid
          label="Logins, rarest first"
          columns={columns}
          rowId={({ row }) => String(row)}
          rowCount={count}
          getRows={getRows}
          selectable={false}
          columnState={layout?.columns ?? []}
          onColumnStateChange={(next) => setLayout({ ...layout, columns: next })}
          onRowOpened={onOpen}
          onPeek={onOpen}
          handle={grid}
          empty={empty}
        />
      )}
    </section>
  );
}
