import { SearchText } from '@blueprintjs/icons';
import { type JSX, useMemo } from 'react';
import { EMAIL_SIMILAR } from '#renderer/commands/keys.ts';
import { EntityList } from '#renderer/entity/entity-list.tsx';
import { extraColumns } from '#renderer/entity/extra-facts.ts';
import { listState } from '#renderer/entity/list-state.ts';
import { copying, panelMenu } from '#renderer/entity/panel-menu.tsx';
import { openWhoClicked } from '#renderer/state/who-clicked.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { columnsFor, type GridColumn } from '#renderer/ui/grid/grid-columns.tsx';
import { useZoned } from '#renderer/ui/grid/zoned-columns.ts';
import { defang } from '#shared/model/defang.ts';
import { type Click, click } from '#shared/model/entities.ts';
import { exact, plural } from '#shared/model/format.ts';
import { webHost } from '#shared/model/hosts.ts';
import { noClicks } from './labels.ts';
import type { EmailReads } from './use-email.ts';

type Row = Click & { at: number; host: string | null };

const { sorted } = columnsFor<Row>();
const SHOWN = { ...click.shape, at: null, host: null };

const COLUMNS: readonly GridColumn<Row>[] = [
  sorted('click_time', 'Clicked', 'time', 136, (row) => row.click_time),
  sorted('user', 'User', 'address', [2, 180], (row) => row.user, { menu: ['email', 'recipients'] }),
  sorted('blocked', 'Blocked', 'boolean', 84, (row) => row.blocked, {
    render: (row) =>
      row.blocked === false ? (
        <span className="pp-danger">No</span>
      ) : row.blocked ? (
        'Yes'
      ) : (
        <span className="pp-unknown">Unknown</span>
      ),
  }),
  sorted('verdict', 'Verdict at click', 'verdict', 140, (row) =>
    row.verdict ? { verdict: row.verdict, code: null } : null,
  ),
  sorted('host', 'Host', 'domain', [2, 160], (row) => row.host && defang(row.host), {
    entity: (row) => (row.host ? { kind: 'domain', value: row.host, field: 'link_domains' } : null),
  }),
  sorted('url', 'Link', 'url', [3, 200], (row) => row.url, { menu: ['url'] }),
  sorted('ip', 'Client IP', 'mono', 130, (row) => row.ip, { menu: ['ip', 'client_ip'] }),
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
  const answer = clicks.data?.rows;
  const clock = useClock();
  const rows = useMemo(
    () => answer?.map((row, index): Row => ({ ...row, at: index, host: webHost(row.url) })),
    [answer],
  );
  const columns = useMemo(() => [...COLUMNS, ...extraColumns(rows ?? [], SHOWN, clock)], [rows, clock]);
  const zoned = useZoned(columns);
  const none = clicks.data && rows?.length === 0 ? noClicks(clicks.data, email.profile.data) : null;
  const users = new Set(rows?.map(({ user }) => user));
  return (
    <EntityList
      panel={{
        title: 'Clicks',
        ...(rows && none?.isKnown !== false
          ? {
              count:
                rows.length === 0
                  ? '0'
                  : `${exact(rows.length)} by ${plural(users.size, 'user')}, ${blockedWords(rows)}`,
            }
          : {}),
        rows: 4,
        shownInstead: 'Showing older clicks.',
        notKnown: 'Recipients may have clicked.',
        menu: panelMenu(
          clicks.refresh,
          {
            ...EMAIL_SIMILAR.clicked,
            label: 'Open as a list, with login risk',
            icon: SearchText,
            run: () =>
              openWhoClicked({
                kind: 'emails',
                entityIds: [email.entityId],
                title: email.profile.data?.subject ?? '',
              }),
          },
          copying('Copy users', [...users], `${plural(users.size, 'address', 'addresses')} copied`),
        ),
        empty: none,
        ...listState(clicks),
      }}
      rows={rows}
      grid={{ columns: zoned, rowId: (row) => String(row.at), layoutKey: 'email-clicks' }}
    />
  );
}
