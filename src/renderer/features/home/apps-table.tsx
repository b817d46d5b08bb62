import type { JSX } from 'react';
import type { Read } from '#renderer/bridge/use-read.ts';
import { quietState } from '#renderer/entity/panel-state.ts';
import { AppIcon } from '#renderer/ui/app-icon.tsx';
import { AppStateMark } from '#renderer/ui/app-state.tsx';
import { SparkBars } from '#renderer/ui/charts/sparkbars.tsx';
import { useClock } from '#renderer/ui/clock-context.ts';
import { FreshnessMark } from '#renderer/ui/freshness-mark.tsx';
import { GlyphFailed } from '#renderer/ui/glyphs.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { numberHead, TableHead } from '#renderer/ui/table-head.tsx';
import { compareApps, LICENCE_LABELS, parseLicence } from '#shared/model/app-order.ts';
import { gridTime } from '#shared/model/clock.ts';
import type { App, AppStatistics } from '#shared/model/entities.ts';
import { exact, formatGridCount, visibleText } from '#shared/model/format.ts';
import { domainOf, type FigureRequest, openFigureQuery } from './figure-query.ts';
import { WINDOW_LABELS, type Window } from './figures.ts';

function Count({
  label,
  value,
  strong,
  onOpen,
}: {
  /** Accessible name: column and app, for screen readers that read the number alone. */
  label: string;
  value: number | null | undefined;
  strong?: 'found' | 'not-scanned';
  onOpen: () => void;
}): JSX.Element {
  if (value === null || value === undefined) return <td className="pp-num pp-t3">–</td>;
  const tone = value === 0 ? 'pp-t3' : strong === 'found' ? 'pp-home-found' : strong ? 'pp-caution' : '';
  return (
    <td className={`pp-num ${tone}`}>
      <button
        type="button"
        className="pp-home-count"
        aria-label={`${label}: ${formatGridCount(value)}`}
        title={`${exact(value)}: open as query`}
        onClick={onOpen}
      >
        {formatGridCount(value)}
      </button>
    </td>
  );
}

/** Found counts are highlighted from this share of all found. */
const LOUD_SHARE = 0.1;
/** Not scanned is highlighted from 1% of scanned, and at least 5. */
const UNSCANNED = { share: 0.01, least: 5 };

function Row({
  app,
  counts,
  allFound,
  read,
}: {
  app: App;
  counts: AppStatistics | undefined;
  allFound: number;
  read: Read<'apps.statistics'>;
}): JSX.Element {
  const clock = useClock();
  const statistics = counts && !counts.error ? counts : undefined;
  const licence = parseLicence(app.license_info);
  const matches = statistics?.found ?? 0;
  const loud = matches > 0 && matches >= allFound * LOUD_SHARE;
  const unscanned =
    (statistics?.not_scanned ?? 0) >= Math.max(UNSCANNED.least, (statistics?.scanned ?? 0) * UNSCANNED.share);
  const label = visibleText(app.label);
  const count = (words: string, what: FigureRequest['what']) => {
    const name = `${words} in ${label}`;
    return {
      label: name,
      onOpen: () =>
        void openFigureQuery({
          domain: domainOf(app),
          name,
          counted: read.data,
          saas: app.name,
          what,
        }),
    };
  };
  return (
    <tr className={app.state === 'disabled' ? 'pp-home-off' : undefined}>
      <th scope="row">
        <span className="pp-row">
          <span className="pp-t3 pp-stack-cell">
            <AppIcon app={app} product="" />
          </span>
          <span className="pp-ellipsis pp-home-name" title={label}>
            {label}
          </span>
          {licence && licence !== 'paid' ? (
            <span className="pp-small pp-t3">{LICENCE_LABELS[licence]}</span>
          ) : null}
        </span>
      </th>
      <td>
        <AppStateMark state={app.state} />
      </td>
      <Count value={statistics?.scanned} {...count('Scanned', { is: 'scanned' })} />
      <Count
        value={statistics?.found}
        {...count('Found', { verdict: 'found' })}
        {...(loud ? { strong: 'found' as const } : {})}
      />
      <Count value={statistics?.suspicious} {...count('Suspicious', { verdict: 'suspicious' })} />
      <Count value={statistics?.spam} {...count('Spam', { verdict: 'spam' })} />
      <Count
        value={statistics?.not_scanned}
        {...count('Not scanned', { verdict: 'not-scanned' })}
        {...(unscanned ? { strong: 'not-scanned' as const } : {})}
      />
      <td className="pp-home-spark">
        {statistics?.series?.length ? (
          <SparkBars
            values={statistics.series.map(({ scanned }) => scanned)}
            times={statistics.series.map(({ time }) => gridTime(time, clock))}
            label={`Scanned in ${label}`}
            height={16}
          />
        ) : (
          <span className="pp-t3">–</span>
        )}
      </td>
      <td>
        {counts?.error && app.state !== 'disabled' ? (
          <span className="pp-fresh pp-fresh-failed" title={counts.error}>
            <GlyphFailed />
            No response
          </span>
        ) : statistics ? (
          <FreshnessMark
            freshness={read.freshness}
            loading={read.revalidating}
            loadingText="refreshing"
            short
          />
        ) : (
          <span className="pp-t3">–</span>
        )}
      </td>
    </tr>
  );
}

interface AppsTableProps {
  apps: Read<'apps.list'>;
  statistics: Read<'apps.statistics'>;
  window: Window;
}

export function AppsTable({ apps, statistics, window }: AppsTableProps): JSX.Element {
  const rows = (apps.data?.rows ?? []).filter(({ is_saas }) => is_saas).sort(compareApps);
  const counts = new Map((statistics.data?.apps ?? []).map((app) => [app.name, app]));
  const allFound = (statistics.data?.apps ?? []).reduce(
    (sum, app) => sum + (app.error ? 0 : (app.found ?? 0)),
    0,
  );
  return (
    <Panel
      title="Apps"
      count={apps.data ? rows.length : ''}
      {...quietState(apps)}
      rows={7}
      className="pp-home-apps"
      empty={
        apps.data && rows.length === 0
          ? { title: 'No apps', reason: 'The service reports no apps with entities.' }
          : null
      }
    >
      {apps.data ? (
        <table className="pp-home-table">
          <TableHead
            heads={[
              'App',
              'State',
              ...['Scanned', 'Found', 'Suspicious', 'Spam', 'Not scanned'].map(numberHead),
              [WINDOW_LABELS[window], 'pp-home-spark'],
              'Updated',
            ]}
          />
          <tbody>
            {rows.map((app) => (
              <Row
                key={app.name}
                app={app}
                counts={counts.get(app.name)}
                allFound={allFound}
                read={statistics}
              />
            ))}
          </tbody>
        </table>
      ) : null}
    </Panel>
  );
}
