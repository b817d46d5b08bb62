import { type JSX, type ReactNode, useCallback, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { EntityMenuHost } from '#renderer/entity/entity-menu.tsx';
import { DEFAULT_ENTITY_ACTIONS, EntityActionsContext } from '#renderer/ui/entity-value.tsx';
import { DataGrid, ListGrid } from '#renderer/ui/grid/data-grid.tsx';
import type { Sort } from '#shared/model/entities.ts';
import '#renderer/ui/styles/index.css';
import { Facts } from '#renderer/ui/facts.tsx';
import { SidePanel } from '#renderer/ui/side-panel.tsx';
import { applyTheme } from '#renderer/ui/theme.ts';
import { Toasts } from '#renderer/ui/toasts.tsx';
import './gallery.css';
import { COLUMNS, galleryRow } from './gallery-data.ts';
import { ControlsStage, ToastStage } from './gallery-floating.tsx';
import { Marks } from './gallery-marks.tsx';
import { EmptyStage, ErrorStage, LoadingStage, OfflineStage, ProfileStage } from './gallery-panels.tsx';

const ROWS = 20_000;
const LIST = Array.from({ length: 40 }, (_, index) => galleryRow(index));
const LAYOUT = [
  { id: 'subject' },
  { id: 'from', width: 180 },
  { id: 'hash', hidden: true },
  { id: 'stack', hidden: true },
];
const OWN = new Set(['aldermoor.example']);
const ACTIONS = {
  ...DEFAULT_ENTITY_ACTIONS,
  filterFor: () => undefined,
  filterOut: () => undefined,
  open: () => undefined,
};

function Section(props: { title: string; note: string; wide?: boolean; children: ReactNode }): JSX.Element {
  return (
    <section className={props.wide ? 'gal-wide' : undefined}>
      <h2>
        {props.title}
        <span>{props.note}</span>
      </h2>
      {props.children}
    </section>
  );
}

function GridStage(): JSX.Element {
  const [peeked, setPeeked] = useState<string | null>('row-2');
  const getRows = useCallback((start: number, end: number, sort: Sort[]) => {
    const down = sort[0]?.direction === 'desc';
    const rows = Array.from({ length: Math.min(end, ROWS) - start }, (_, index) =>
      galleryRow(down ? ROWS - 1 - start - index : start + index),
    );
    return Promise.resolve({ rows });
  }, []);
  return (
    <div className="gal-stage gal-flat gal-tall">
      <DataGrid
        label="Results"
        columns={COLUMNS}
        rowId={(row) => row.id}
        rowCount={ROWS}
        getRows={getRows}
        peekedId={peeked}
        onPeek={(row) => setPeeked(row.id)}
        ownDomains={OWN}
      />
    </div>
  );
}

function ListStage(): JSX.Element {
  const [width, setWidth] = useState<number | null>(null);
  return (
    <div style={{ display: 'flex', height: '100%', minWidth: 0 }}>
      <ListGrid
        label="List"
        columns={COLUMNS}
        rowId={(row) => row.id}
        rows={LIST}
        columnState={LAYOUT}
        isMuted={(row) => row.clicks > 0}
        selectable={false}
      />
      <SidePanel side="right" label="Preview" defaultWidth={200} width={width} onResize={setWidth}>
        <Facts
          facts={[
            { label: 'Kind', value: 'Query' },
            { label: 'Schedule', value: null },
          ]}
        />
      </SidePanel>
    </div>
  );
}

function Gallery(): JSX.Element {
  return (
    <div className="gal">
      <Section title="Controls" note="tabs, segmented, buttons, inputs, hints">
        <ControlsStage />
      </Section>
      <Section title="Error" note="one panel fails, its neighbours do not">
        <ErrorStage />
      </Section>
      <Section title="Empty" note="says why and what to do next">
        <EmptyStage />
      </Section>
      <Section title="Offline" note="saved data stays usable, age is always shown">
        <OfflineStage />
      </Section>
      <Section title="Loading" note="the shape first, after 150 ms; stale data is never hidden">
        <LoadingStage />
      </Section>
      <Section title="Verdicts, severities, states, freshness" note="colour, shape and word together">
        <div className="gal-stage gal-flat">
          <Marks />
        </div>
      </Section>
      <Section title="Facts and chart" note="values with a menu, exact figures in the tooltip">
        <ProfileStage />
      </Section>
      <Section title="Toasts" note="bottom right, 5 s; errors stay">
        <ToastStage />
      </Section>
      <Section title="List" note="rows that are all here, in the user's own layout">
        <div className="gal-stage gal-flat">
          <ListStage />
        </div>
      </Section>
      <Section title="Grid" note="20 000 rows, infinite" wide>
        <GridStage />
      </Section>
    </div>
  );
}

const params = new URLSearchParams(location.search);
applyTheme(params.get('theme') === 'light' ? 'light' : 'dark');
const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <EntityActionsContext value={ACTIONS}>
      <EntityMenuHost>
        <Gallery />
        <Toasts />
      </EntityMenuHost>
    </EntityActionsContext>,
  );
}
