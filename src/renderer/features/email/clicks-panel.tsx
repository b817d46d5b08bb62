import { MenuItem } from '@blueprintjs/core';
import { Clipboard, Refresh, SearchText } from '@blueprintjs/icons';
import { type JSX, useMemo } from 'react';
import { extraColumns } from '#renderer/entity/extra-facts.ts';
import { listState } from '#renderer/entity/list-state.ts';
import { copyText } from '#renderer/state/entity-actions.ts';
import { openWhoClicked } from '#renderer/state/who-clicked.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { ListGrid } from '#renderer/ui/data-grid.tsx';
import type { GridColumn } from '#renderer/ui/grid-columns.tsx';
import { Kbd } from '#renderer/ui/kbd.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { useZoned } from '#renderer/ui/zoned-columns.ts';
import { defang } from '#shared/model/defang.ts';
import { type Click, click } from '#shared/model/entities.ts';
import { exact, plural } from '#shared/model/format.ts';
import { webHost } from '#shared/model/hosts.ts';
import { noClicks } from './labels.ts';
import type { EmailReads } from './use-email.ts';

type Row = Click & { at: number };
const SHOWN = { ...click.shape, at: null };

const COLUMNS: readonly GridColumn<Row>[] = [
  {
    id: 'click_time',
    label: 'Clicked',
    type: 'time',
    value: (row) => row.click_time,
    sortId: 'click_time',
    width: 136,
  },
  {
    id: 'user',
    label: 'User',
    type: 'address',
    value: (row) => row.user,
    sortId: 'user',
    flex: 2,
    minWidth: 180,
    entity: (row) => ({ kind: 'email', value: row.user, field: 'recipients' }),
  },
  {
    id: 'blocked',
    label: 'Blocked',
    type: 'boolean',
    value: (row) => row.blocked,
    sortId: 'blocked',
    width: 84,
    render: (row) =>
      row.blocked === false ? (
        <span className="pp-danger">No</span>
      ) : row.blocked ? (
        'Yes'
      ) : (
        <span className="pp-unknown">Unknown</span>
      ),
  },
  {
    id: 'verdict',
    label: 'Verdict at click',
    type: 'verdict',
    value: (row) => (row.verdict ? { verdict: row.verdict, code: null } : null),
    sortId: 'verdict',
    width: 140,
  },
  {
    id: 'host',
    label: 'Host',
    type: 'domain',
    value: (row) => {
      const host = webHost(row.url);
      return host === null ? null : defang(host);
    },
    sortId: 'host',
    flex: 2,
    minWidth: 160,
    entity: (row) => {
      const host = webHost(row.url);
      return host === null ? null : { kind: 'domain', value: host, field: 'link_domains' };
    },
  },
  {
    id: 'url',
    label: 'Link',
    type: 'url',
    value: (row) => row.url,
    sortId: 'url',
    flex: 3,
    minWidth: 200,
    entity: (row) => ({ kind: 'url', value: row.url }),
  },
  {
    id: 'ip',
    label: 'Client IP',
    type: 'mono',
    value: (row) => row.ip,
    sortId: 'ip',
    width: 130,
    entity: (row) => (row.ip ? { kind: 'ip', value: row.ip, field: 'client_ip' } : null),
  },
];

/** How many clicks got through, as far as the service says. */
export function blockedWords(rows: readonly Pick<Click, 'blocked'>[]): string {
  const through = rows.filter(({ blocked }) => blocked === false).length;
  const unknown = rows.filter(({ blocked }) => blocked == null).length;
  if (unknown === 0) return `${exact(through)} not blocked`;
  if (unknown === rows.length) return 'unknown whether blocked';
  return `${exact(through)} not blocked, ${exact(unknown)} unknown`;
}

/** Who clicked which link, when, and whether the click was blocked (clicktime_protection_scan_clicks). */
export function ClicksPanel({ email }: { email: EmailReads }): JSX.Element {
  const { clicks } = email;
  const rows = clicks.data?.rows;
  const clock = useClock();
  const columns = useMemo(
    () => [
      ...COLUMNS,
      ...extraColumns<Row>(
        (rows ?? []).map((row, at) => ({ ...row, at })),
        SHOWN,
        clock,
      ),
    ],
    [rows, clock],
  );
  const zoned = useZoned(columns);
  const none = clicks.data && rows?.length === 0 ? noClicks(clicks.data, email.profile.data) : null;
  const users = new Set(rows?.map(({ user }) => user));
  return (
    <Panel
      title="Clicks"
      {...(rows && none?.known !== false
        ? {
            count:
              rows.length === 0
                ? '0'
                : `${exact(rows.length)} by ${plural(users.size, 'user')}, ${blockedWords(rows)}`,
          }
        : {})}
      rows={4}
      noScroll
      className="en-fill"
      shownInstead="Showing older clicks."
      notKnown="Recipients may have clicked."
      menu={
        <>
          <MenuItem text="Refresh" icon={<Refresh size={14} />} onClick={clicks.refresh} />
          <MenuItem
            text="Open as a list, with login risk"
            icon={<SearchText size={14} />}
            labelElement={<Kbd keys="W" />}
            onClick={() =>
              void openWhoClicked({
                kind: 'emails',
                entityIds: [email.entityId],
                title: email.profile.data?.subject ?? '',
              })
            }
          />
          <MenuItem
            text="Copy users"
            icon={<Clipboard size={14} />}
            disabled={users.size === 0}
            onClick={() =>
              void copyText([...users].join('\n'), `${plural(users.size, 'address', 'addresses')} copied`)
            }
          />
        </>
      }
      empty={none}
      {...listState(clicks)}
    >
      {rows && rows.length > 0 ? (
        <ListGrid
          label="Clicks"
          columns={zoned}
          rows={rows.map((row, at) => ({ ...row, at }))}
          rowId={(row) => String(row.at)}
          selectable={false}
          layoutKey="email-clicks"
        />
      ) : null}
    </Panel>
  );
}
