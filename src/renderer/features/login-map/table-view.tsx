import { type JSX, useCallback } from 'react';
import { useLayout } from '#renderer/state/layout.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { DataGrid } from '#renderer/ui/data-grid.tsx';
import type { EmptyInfo } from '#renderer/ui/empty-state.tsx';
import type { GridColumn } from '#renderer/ui/grid-columns.tsx';
import { rarityWords } from '#shared/logins/rarity.ts';
import { zoneLabel } from '#shared/model/clock.ts';
import type { LoginRow } from './engine.ts';
import { outcomeLabel } from './labels.ts';
import type { SummaryRows } from './use-logins.ts';

const LAYOUT = 'login-map';

interface TableViewProps {
  count: number;
  /** Shown in place of an empty list. */
  empty: EmptyInfo | null;
  rows: SummaryRows['rows'];
  /** Names of modules for the column App. */
  nameOf: (module: string) => string;
  onOpen: (row: LoginRow) => void;
}

/** Every login under the filter as a grid: the map for keyboard and screen reader. */
export function TableView({ rows, count, empty, nameOf, onOpen }: TableViewProps): JSX.Element {
  const clock = useClock();
  const [layout, setLayout] = useLayout(LAYOUT);
  const columns: GridColumn<LoginRow>[] = [
    { id: 'time', label: `Time (${zoneLabel(clock)})`, type: 'time', value: ({ time }) => time, width: 140 },
    {
      id: 'user',
      label: 'User',
      type: 'address',
      value: ({ user }) => user,
      entity: ({ user }) => (user ? { kind: 'email', value: user, field: 'users' } : null),
      flex: 2,
      minWidth: 240,
    },
    {
      id: 'rarity',
      label: 'Rarity',
      value: rarityWords,
      render: (row) => (
        <span className="pp-map-rarity">
          <span className={`pp-rar pp-rar-${row.rarity}`} />
          {row.lat === null ? 'Not located' : rarityWords(row)}
        </span>
      ),
      width: 168,
    },
    { id: 'city', label: 'City', value: ({ city }) => city || null, width: 130 },
    {
      id: 'country',
      label: 'Country',
      value: ({ country }) => country || null,
      entity: ({ country }) => (country ? { kind: 'country', value: country, field: 'countries' } : null),
      width: 84,
    },
    {
      id: 'ip',
      label: 'IP address',
      type: 'mono',
      value: ({ ip }) => ip || null,
      entity: ({ ip }) => (ip ? { kind: 'ip', value: ip, field: 'ips' } : null),
      width: 150,
    },
    { id: 'logins', label: 'Logins', type: 'number', value: ({ logins }) => logins },
    {
      id: 'outcome',
      label: 'Outcome',
      value: ({ failed }) => outcomeLabel(failed),
      width: 96,
    },
    { id: 'app', label: 'App', value: ({ module }) => nameOf(module), width: 150 },
    { id: 'lat', label: 'Latitude', type: 'number', value: ({ lat }) => lat, hidden: true },
    { id: 'lon', label: 'Longitude', type: 'number', value: ({ lon }) => lon, hidden: true },
  ];
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
          empty={empty}
        />
      )}
    </section>
  );
}
