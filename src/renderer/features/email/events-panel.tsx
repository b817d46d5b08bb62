import { Button, InputGroup, MenuItem } from '@blueprintjs/core';
import { Refresh, Search } from '@blueprintjs/icons';
import { type JSX, useEffect, useMemo, useState } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { readOnce } from '#renderer/bridge/use-read.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { ListGrid } from '#renderer/ui/data-grid.tsx';
import type { GridColumn } from '#renderer/ui/grid-columns.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { type BridgeError, toBridgeError } from '#shared/bridge/errors.ts';
import { FILE_EVENTS_PAGE } from '#shared/model/constants.ts';
import type { EntityEvent } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import type { Branding } from '#shared/model/white-label.ts';
import { said } from './said.ts';
import type { TimelineKind } from './timeline.ts';
import { actorWords, detailWords, filterEvents, KIND_LABELS, kindOf } from './timeline-events.ts';
import { type EmailReads, panelState } from './use-email.ts';

const columnsOf = (branding: Branding): readonly GridColumn<EntityEvent>[] => [
  { id: 'time', label: 'Time', type: 'time', value: (row) => row.time, sortId: 'time', width: 136 },
  {
    id: 'kind',
    label: 'Kind',
    value: (row) => KIND_LABELS[kindOf(row)],
    sortId: 'kind',
    width: 132,
    render: (row, value) =>
      row.re_evaluated ? <span className="pp-caution">{String(value)}</span> : String(value),
  },
  {
    id: 'summary',
    label: 'What',
    type: 'name',
    value: (row) => said(row.summary),
    sortId: 'summary',
    flex: 2,
    minWidth: 200,
  },
  {
    id: 'actor',
    label: 'Who',
    value: (row) => actorWords(row, branding),
    sortId: 'actor',
    flex: 1,
    minWidth: 160,
    notApplicable: (row) => actorWords(row, branding) === null,
  },
  {
    id: 'detail',
    label: 'More',
    value: (row) => {
      const detail = detailWords(row, branding);
      return detail === null ? null : said(detail);
    },
    sortId: 'detail',
    flex: 2,
    minWidth: 200,
    notApplicable: (row) => !row.detail,
  },
];

/** Events beyond the first page, asked for by the page. */
function useMore(email: EmailReads, total: number) {
  const bridge = useBridge();
  const { connection } = useConnection();
  const [more, setMore] = useState<readonly EntityEvent[]>([]);
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<BridgeError | null>(null);
  const { saas, entityId } = email;
  const stamp = email.events.freshness?.fetchedAt ?? 0;
  // A newer first page moves the places of all others.
  useEffect(() => setMore(stamp === null ? [] : []), [stamp]);
  const load = async () => {
    if (!connection) return;
    setPending(true);
    setError(null);
    try {
      const page = 1 + Math.ceil(more.length / FILE_EVENTS_PAGE);
      const request = { params: { saas }, query: { entity_id: entityId, page } };
      const { data } = await readOnce(bridge, connection.id, 'file.events', request);
      setMore((before) => [...before, ...data.rows]);
    } catch (reason) {
      setError(toBridgeError(reason));
    } finally {
      setPending(false);
    }
  };
  const first = email.events.data?.rows ?? [];
  const rows = useMemo(() => [...first, ...more], [first, more]);
  return { rows, missing: Math.max(0, total - rows.length), pending, error, load };
}

/** Everything that happened to the email, filtered by kind and by words. */
export function EventsPanel({ email }: { email: EmailReads }): JSX.Element {
  const { events, branding } = email;
  const columns = useMemo(() => columnsOf(branding), [branding]);
  const total = events.data?.total_rows ?? events.data?.rows.length ?? 0;
  const { rows, missing, pending, error, load } = useMore(email, total);
  const [kinds, setKinds] = useState<ReadonlySet<TimelineKind>>(new Set());
  const [search, setSearch] = useState('');
  const counts = useMemo(() => {
    const found = new Map<TimelineKind, number>();
    for (const event of rows) found.set(kindOf(event), (found.get(kindOf(event)) ?? 0) + 1);
    return found;
  }, [rows]);
  const shown = useMemo(() => filterEvents(rows, kinds, search, branding), [rows, kinds, search, branding]);
  const places = useMemo(() => new Map(rows.map((row, index) => [row, String(index)])), [rows]);
  const toggle = (kind: TimelineKind) =>
    setKinds((before) => {
      const next = new Set(before);
      if (!next.delete(kind)) next.add(kind);
      return next;
    });
  const filtering = kinds.size > 0 || search.trim() !== '';
  return (
    <Panel
      title="Events"
      {...(events.data
        ? { count: filtering ? `${exact(shown.length)} of ${exact(total)}` : exact(total) }
        : {})}
      {...panelState(events)}
      error={error ?? events.error}
      rows={8}
      noScroll
      className="em-fill"
      shownInstead="The events below are older."
      notKnown="What happened to it is not known."
      menu={<MenuItem text="Refresh" icon={<Refresh size={14} />} onClick={events.refresh} />}
      empty={
        events.data && total === 0
          ? { title: 'Nothing recorded', reason: 'The service counts 0 events of this email.' }
          : null
      }
    >
      {events.data && total > 0 ? (
        <div className="em-events">
          <div className="em-events-bar">
            <InputGroup
              leftIcon={<Search size={14} />}
              size="small"
              aria-label="Search in events"
              placeholder="Search in events"
              data-search
              value={search}
              onValueChange={setSearch}
            />
            {(Object.keys(KIND_LABELS) as TimelineKind[])
              .filter((kind) => counts.has(kind))
              .map((kind) => (
                <Button
                  key={kind}
                  size="small"
                  variant={kinds.has(kind) ? 'solid' : 'outlined'}
                  active={kinds.has(kind)}
                  aria-pressed={kinds.has(kind)}
                  text={`${KIND_LABELS[kind]} ${exact(counts.get(kind) ?? 0)}`}
                  onClick={() => toggle(kind)}
                />
              ))}
            {missing > 0 ? (
              <Button
                size="small"
                variant="minimal"
                loading={pending}
                text={`${exact(Math.min(missing, FILE_EVENTS_PAGE))} more of ${exact(missing)}`}
                onClick={() => void load()}
              />
            ) : null}
          </div>
          <ListGrid
            label="Events"
            columns={columns}
            rows={shown}
            rowId={(row) => row.id ?? places.get(row) ?? ''}
            selectable={false}
            layoutKey="email-events"
          />
        </div>
      ) : null}
    </Panel>
  );
}
