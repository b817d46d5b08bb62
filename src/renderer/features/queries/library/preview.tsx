import { Button, MenuDivider } from '@blueprintjs/core';
import { CloudDownload, Duplicate, More, Star, StarEmpty } from '@blueprintjs/icons';
import { type JSX, useMemo } from 'react';
import { CommandButton, menuOf } from '#renderer/commands/command.tsx';
import { useRoleRefusal } from '#renderer/state/caller.ts';
import { toggleFavourite } from '#renderer/state/recent.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { type Fact, Facts } from '#renderer/ui/facts.tsx';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { MenuPopover } from '#renderer/ui/menu/menu-popover.tsx';
import { QueryStatusMark } from '#renderer/ui/query-status.tsx';
import { SeverityMark } from '#renderer/ui/severity.tsx';
import { type ClockSetting, profileTime } from '#shared/model/clock.ts';
import type { Query, QueryConfig } from '#shared/model/entities.ts';
import { exact, visibleText } from '#shared/model/format.ts';
import { hasPassword } from '#shared/model/query-status.ts';
import { describeQuery, describeReport } from '#shared/query/describe.ts';
import { emptyGroup } from '#shared/query/tree.ts';
import { kindLabel } from '../labels.ts';
import { duplicateQuery } from '../query-actions.ts';
import { exportServiceResults, SERVICE_FORMATS } from '../query-files.ts';
import { isEveryApp } from '../query-run.ts';
import { QuerySummary } from '../query-summary.tsx';
import { Runs } from '../runs.tsx';
import { useScheduling } from '../schedule-commands.ts';
import { useQueryConfig } from '../use-config.ts';
import type { LibraryRow } from './library-columns.tsx';
import { useLibraryCommands } from './library-commands.ts';
import type { LibraryDialog } from './library-dialogs.tsx';
import { kindOf, scheduleWords } from './library-facets.ts';

const COLUMNS_SHOWN = 7;

/** A timestamp that the service added to a schedule. */
const toldAt = (value: unknown, clock: ClockSetting): string =>
  typeof value === 'string' || typeof value === 'number' ? profileTime(value, clock) : '–';

const PASSWORD_NOTES = { true: ', password-protected', false: '', null: ', password not listed' };

function scheduleFacts(schedule: Query['scheduledExport'], clock: ClockSetting): Fact[] {
  if (!schedule) return [{ label: 'Schedule', value: <span className="pp-t3">None</span> }];
  const { emails, format, last_sent, next_run } = schedule;
  const [first = 'No recipients', ...others] = emails;
  return [
    { label: 'Schedule', value: `${scheduleWords(schedule)}, server time` },
    {
      label: 'Sent to',
      value: `${visibleText(first)}${others.length > 0 ? ` +${exact(others.length)}` : ''}`,
      note: `${format.toUpperCase()}${PASSWORD_NOTES[`${hasPassword(schedule)}`]}`,
    },
    {
      label: 'Last sent',
      value: last_sent ? (
        toldAt(last_sent, clock)
      ) : (
        <span className="pp-t3">{last_sent === undefined ? 'Unknown' : 'Never'}</span>
      ),
    },
    {
      label: 'Next run',
      value: next_run ? toldAt(next_run, clock) : <span className="pp-t3">Only while running</span>,
    },
  ];
}

function useFacts({ query, recent, app }: LibraryRow, config: QueryConfig | undefined): Fact[] {
  const clock = useClock();
  const columns = [...query.columns].sort((a, b) => a.order - b.order).map(({ label, id }) => label || id);
  const actionLabel = (id: string) => config?.actions.find((action) => action.id === id)?.label ?? id;
  const more = columns.length - COLUMNS_SHOWN;
  const runs = recent?.runs ?? [];
  const before = runs[1]?.total;
  return [
    { label: 'Kind', value: kindLabel(kindOf(query)) },
    { label: 'App', value: app },
    { label: 'Severity', value: <SeverityMark severity={query.severity} /> },
    { label: 'Status', value: <QueryStatusMark status={query.status} /> },
    {
      label: 'Last total',
      value:
        recent?.total == null ? (
          <span className="pp-t3">Never run on this machine</span>
        ) : (
          <>
            {exact(recent.total)}
            {before == null || before === recent.total ? null : (
              <span className="pp-t3"> · was {exact(before)}</span>
            )}
          </>
        ),
    },
    {
      label: 'Last run',
      value: recent ? profileTime(recent.ranAt, clock) : <span className="pp-t3">Never on this machine</span>,
    },
    {
      label: 'Columns',
      value:
        columns.length === 0
          ? 'Default'
          : `${columns.slice(0, COLUMNS_SHOWN).join(', ')}${more > 0 ? `, +${more}` : ''}`,
    },
    ...(query.actionsList?.length
      ? [{ label: 'Actions', value: query.actionsList.map(actionLabel).join(', ') }]
      : []),
    ...scheduleFacts(query.scheduledExport, clock),
    {
      label: 'Updated',
      value: query.updateTime ? profileTime(query.updateTime, clock) : null,
    },
    {
      label: 'Created',
      value: query.createTime
        ? `${profileTime(query.createTime, clock)}${query.createdBy ? ` · ${visibleText(query.createdBy)}` : ''}`
        : (query.createdBy ?? null),
    },
  ];
}

interface PreviewProps {
  row: LibraryRow;
  favourite: boolean;
  onDialog: (dialog: LibraryDialog) => void;
}

/** Actions for a saved query besides opening it, as far as the role allows. */
function PreviewMenu({ row, onDialog }: Omit<PreviewProps, 'favourite'>): JSX.Element {
  const { query } = row;
  const isTemplate = query.subType === 'template';
  const why = useRoleRefusal()('query.export-results', { query });
  const commands = useLibraryCommands(onDialog);
  const { schedule, send } = useScheduling({
    id: query.id,
    query,
    onSchedule: () => onDialog({ dialog: 'schedule', query }),
    onSend: () => onDialog({ dialog: 'send', query }),
  });
  return menuOf(
    'Query actions',
    [commands.details(query), schedule, send],
    [
      commands.exportFile([query]),
      // In the menu itself: a submenu would be cut off where the menu scrolls.
      <MenuDivider key="results" title="Export results from the service" />,
      ...SERVICE_FORMATS.map(({ value, label }) => ({
        text: `${label}…`,
        icon: CloudDownload,
        isOff: isTemplate,
        why,
        run: () => exportServiceResults(query.id, query.name, value),
      })),
    ],
    [commands.remove([query])],
  );
}

/** One saved query beside the list: in words, facts, runs, and what can be done with it. */
export function Preview({ row, favourite, onDialog }: PreviewProps): JSX.Element {
  const { query, app } = row;
  const config = useQueryConfig(query.domain, query.saas);
  const { open } = useLibraryCommands(onDialog);
  const facts = useFacts(row, config.data);
  const clock = useClock();
  const segments = useMemo(
    () =>
      config.data
        ? [
            ...describeQuery({
              condition: query.filter ?? emptyGroup(),
              config: config.data,
              domain: query.domain,
              saas: isEveryApp(query.saas) ? null : app,
              clock,
            }),
            ...describeReport(query.reportCondition, config.data, { clock }),
          ]
        : null,
    [config.data, query, app, clock],
  );
  return (
    <div className="pp-preview" data-preview={query.id}>
      <div className="pp-preview-head">
        <h2 className="pp-heading pp-wrap-anywhere pp-spacer">{visibleText(query.name)}</h2>
        <IconButton
          small
          icon={favourite ? <Star size={14} /> : <StarEmpty size={14} />}
          label={favourite ? 'Remove from favourites' : 'Add to favourites'}
          active={favourite}
          onClick={() => toggleFavourite(query.id)}
        />
        <MenuPopover
          content={<PreviewMenu row={row} onDialog={onDialog} />}
          placement="bottom-end"
          // Menu items open dialogs, which take the focus.
        >
          <IconButton small icon={<More size={14} />} label="More" />
        </MenuPopover>
      </div>
      {query.description ? <p className="pp-preview-text pp-t2">{visibleText(query.description)}</p> : null}
      <div className="pp-preview-buttons">
        <CommandButton isPrimary command={open(query)} />
        <Button icon={<Duplicate size={14} />} text="Duplicate" onClick={() => duplicateQuery(query)} />
      </div>
      <section className="pp-preview-part">
        <div className="pp-caption pp-t3">Summary</div>
        <p className="pp-words-text">
          {segments ? (
            <QuerySummary segments={segments} />
          ) : config.error ? (
            <span className="pp-t3">Query fields unavailable: {config.error.message}</span>
          ) : null}
        </p>
      </section>
      <section className="pp-preview-part pp-preview-facts">
        <Facts facts={facts} />
      </section>
      <Runs recent={row.recent} />
    </div>
  );
}

export const NoPreview = (): JSX.Element => (
  <EmptyState small title="No query selected" reason="Use J and K to move, Enter to open." />
);
