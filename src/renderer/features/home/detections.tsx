import type { JSX } from 'react';
import type { Read } from '#renderer/bridge/use-read.ts';
import { Legend, StackedBars } from '#renderer/ui/charts/stacked-bars.tsx';
import { useClock } from '#renderer/ui/clock-context.ts';
import { Panel } from '#renderer/ui/panel.tsx';
import { zoneLabel } from '#shared/model/clock.ts';
import { areDays, barsOf, WINDOW_LABELS, type Window } from './figures.ts';

const SERIES = [
  { id: 'found', label: 'Found', tone: 'found' },
  { id: 'suspicious', label: 'Suspicious', tone: 'suspicious' },
  { id: 'spam', label: 'Spam', tone: 'spam' },
];

export function Detections({
  read,
  window,
  wide,
}: {
  read: Read<'apps.statistics'>;
  window: Window;
  wide: boolean;
}): JSX.Element {
  const clock = useClock();
  const bars = read.data ? barsOf(read.data, window, clock) : [];
  const perDay = areDays(bars) ? 'Detections per day' : 'Detections over time';
  const title = window === '24h' ? 'Detections per hour' : perDay;
  return (
    <Panel
      title={wide ? title : 'Detections'}
      count={
        wide
          ? `last ${WINDOW_LABELS[window]}, ${zoneLabel(clock)}`
          : `${WINDOW_LABELS[window]}, ${zoneLabel(clock)}`
      }
      loading={read.loading}
      error={read.data ? null : read.error}
      notKnown="This does not mean that nothing was detected."
      onRetry={read.refresh}
      actions={bars.length > 0 ? <Legend series={SERIES} bars={bars} /> : null}
      noScroll
      className="pp-home-detections"
      rows={6}
      empty={
        read.data && bars.length === 0
          ? { title: 'No timeline', reason: 'The service reports totals only for these apps.' }
          : null
      }
    >
      {bars.length > 0 ? (
        <div className="pp-home-chart">
          <StackedBars label={`${title}, ${zoneLabel(clock)}`} series={SERIES} bars={bars} />
        </div>
      ) : null}
    </Panel>
  );
}
