import { Button } from '@blueprintjs/core';
import { Export, Refresh, Th } from '@blueprintjs/icons';
import { type JSX, useDeferredValue, useEffect, useMemo, useState } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { type Command, CommandButton, menuOf, useCommands } from '#renderer/commands/command.tsx';
import { ACTIVITY } from '#renderer/commands/keys.ts';
import { useClearFilesOff } from '#renderer/state/app-info.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { journalSentence, OUTCOME_LABELS, OUTCOME_LOOKS, reasonOf } from '#renderer/state/journal-words.ts';
import { useSaving } from '#renderer/state/saving.ts';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import { Select } from '#renderer/ui/form/field.tsx';
import { SearchBox } from '#renderer/ui/form/search-box.tsx';
import { SearchCap } from '#renderer/ui/form/search-cap.tsx';
import { Segmented } from '#renderer/ui/form/segmented.tsx';
import { ListGrid } from '#renderer/ui/grid/data-grid.tsx';
import { columnsFor, type GridColumn, optional } from '#renderer/ui/grid/grid-columns.tsx';
import { useZoned } from '#renderer/ui/grid/zoned-columns.ts';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { MenuPopover } from '#renderer/ui/menu/menu-popover.tsx';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import { type JournalEntry, SEARCH_MOST } from '#shared/bridge/operations.ts';
import { exact, plural } from '#shared/model/format.ts';
import { JournalDetail } from './journal-detail.tsx';
import { connectionName, filterWords, KIND_OPTIONS, OUTCOME_OPTIONS, targetCount } from './labels.ts';
import { type JournalFormat, type JournalSearch, saveJournal } from './save-journal.ts';
import { isFiltered, type JournalFilter, NO_FILTER, useJournal } from './use-journal.ts';

const { column } = columnsFor<JournalEntry>();

function columnsOf(wide: boolean): GridColumn<JournalEntry>[] {
  return [
    column('at', 'When', 'time', 132, ({ at }) => at),
    column('summary', 'What', 'name', [1, 160], journalSentence),
    column('targets', 'Done', 'text', 104, targetCount, { notApplicable: ({ action }) => action === null }),
    column('outcome', 'Outcome', 'text', 210, ({ outcome }) => OUTCOME_LABELS[outcome], {
      render: ({ outcome }) => <span className={OUTCOME_LOOKS[outcome]}>{OUTCOME_LABELS[outcome]}</span>,
    }),
    ...(wide
      ? [
          column('who', 'Who', 'text', 110, ({ who }) => who),
          optional(column('reason', 'Reason', 'text', 260, reasonOf)),
        ]
      : []),
  ];
}

/** Saves every entry under the filter, not only those loaded. */
function ExportMenu(props: {
  search: JournalSearch | null;
  count: number | null;
  filter: JournalFilter;
  /** Whether there is room for the name. */
  isNamed: boolean;
}): JSX.Element {
  const { search, count, filter, isNamed } = props;
  const bridge = useBridge();
  const { connection, connections } = useConnection();
  const { busy, save } = useSaving();
  const unsaved = useClearFilesOff();
  const [isOpen, setOpen] = useState(false);
  const isOff = search === null || count === null || count === 0 || busy || unsaved !== null;
  // Pressed while the entries of a new filter are being read, the key opens the menu when they have arrived.
  useEffect(() => {
    if (search !== null && isOff) setOpen(false);
  }, [search, isOff]);
  const command: Command = {
    ...ACTIVITY.exportJournal,
    label: 'Export',
    icon: Export,
    why: unsaved,
    isBusy: busy,
    run: () => setOpen(true),
  };
  useCommands([{ ...command, isOff: isOff && search !== null }]);
  const item = (format: JournalFormat, label: string) => ({
    icon: Th,
    text: `${plural(count ?? 0, 'change')} as ${label}`,
    run: () => {
      if (search === null) return;
      const what = filterWords(filter, connection?.name ?? 'no connection');
      void save(() => saveJournal(bridge, search, format, what, (id) => connectionName(connections, id)));
    },
  });
  return (
    <MenuPopover
      placement="bottom-end"
      isOpen={isOpen}
      disabled={isOff}
      onInteraction={setOpen}
      content={menuOf('Export', [item('csv', 'CSV'), item('ndjson', 'NDJSON')])}
    >
      <CommandButton command={{ ...command, isOff }} isBare={!isNamed} />
    </MenuPopover>
  );
}

export function Journal(): JSX.Element {
  const { wide } = useBreakpoint();
  const [typed, setFilter] = useState<JournalFilter>(NO_FILTER);
  const filter = useDeferredValue(typed);
  const { entries, count, search, more, error, refresh } = useJournal(filter);
  const [shownId, setShownId] = useState<number | null>(null);
  const columns = useZoned(useMemo(() => columnsOf(wide), [wide]));
  const shown = entries?.find(({ id }) => id === shownId) ?? entries?.[0] ?? null;
  const change = (part: Partial<JournalFilter>) => setFilter((before) => ({ ...before, ...part }));
  const empty = isFiltered(filter)
    ? {
        title: 'No matching entries',
        action: <Button text="Clear filters" onClick={() => setFilter(NO_FILTER)} />,
      }
    : {
        title: 'No changes yet',
        reason: 'Every change is logged here before it is sent: who, when, what, why, and its outcome.',
      };
  return (
    <section className="pp-journal" aria-label="Journal">
      <div className="pp-journal-bar">
        <h2 className="pp-heading">Journal</h2>
        {count === null ? null : (
          <span className="pp-t3" data-count={count}>
            {plural(count, 'change')}
          </span>
        )}
        <span className="pp-spacer" />
        <SearchBox
          className="pp-journal-search"
          label="Search the journal"
          placeholder={wide ? 'Who, what, reason' : 'Search'}
          text={typed.text}
          onText={(text) => change({ text })}
        />
        <SearchCap text={typed.text} most={SEARCH_MOST} />
        <Segmented
          label="Kind"
          options={KIND_OPTIONS}
          value={typed.kind}
          onChange={(kind) => change({ kind })}
        />
        <Select
          aria-label="Outcome"
          options={OUTCOME_OPTIONS}
          value={typed.outcome}
          onChange={(outcome) => change({ outcome })}
        />
        <Select
          aria-label="Connections"
          options={[
            { value: 'one', label: 'This connection' },
            { value: 'all', label: 'All connections' },
          ]}
          value={typed.everywhere ? 'all' : 'one'}
          onChange={(whose) => change({ everywhere: whose === 'all' })}
        />
        <IconButton icon={<Refresh size={14} />} label="Refresh" onClick={refresh} />
        <ExportMenu search={search} count={count} filter={filter} isNamed={wide} />
      </div>
      {error && entries ? <ErrorBar error={error} onRetry={refresh} /> : null}
      <div className="pp-journal-body">
        <div className="pp-journal-list">
          <ListGrid<JournalEntry>
            label="Changes"
            rows={entries ?? []}
            columns={columns}
            layoutKey={wide ? 'wide' : 'narrow'}
            rowId={({ id }) => String(id)}
            selectable={false}
            peekedId={shown ? String(shown.id) : null}
            onRowFocused={({ id }) => setShownId(id)}
            onRowOpened={({ id }) => setShownId(id)}
            onPeek={({ id }) => setShownId(id)}
            loading={entries === null && !error}
            error={entries === null ? error : null}
            onRetry={refresh}
            empty={entries?.length === 0 ? empty : null}
          />
        </div>
        {shown ? (
          <aside className="pp-journal-side" aria-label="Details">
            <JournalDetail entry={shown} />
          </aside>
        ) : null}
      </div>
      {more ? (
        <div className="pp-journal-more">
          <span className="pp-t3 pp-small">
            {exact(entries?.length ?? 0)} of {exact(count ?? 0)}
          </span>
          <Button size="small" text="Show older" onClick={more} />
        </div>
      ) : null}
    </section>
  );
}
