import type { JSX } from 'react';
import type { Read } from '#renderer/bridge/use-read.ts';
import { panelState } from '#renderer/entity/panel-state.ts';
import { type Bar, Legend, StackedBars } from '#renderer/ui/charts/stacked-bars.tsx';
import { useClock } from '#renderer/ui/clock-context.ts';
import { Panel } from '#renderer/ui/panel.tsx';
import { type ClockSetting, toInstant } from '#shared/model/clock.ts';
import type { CampaignTimeline as Timeline } from '#shared/model/entities.ts';
import { plural } from '#shared/model/format.ts';
import { spanText, spanTick } from '../queries/groups/labels.ts';

const SERIES = [
  { id: 'flagged', label: 'Found or suspicious', tone: 'found' },
  { id: 'others', label: 'Others', tone: 'neutral' },
] as const;

function barsOf({ step, end, rows }: Timeline, clock: ClockSetting): Bar[] {
  const edges = [...rows.map(({ at }) => at), end].map((time) => toInstant(time) ?? 0);
  const length = (edges.at(-1) ?? 0) - (edges[0] ?? 0);
  return rows.map(({ emails, flagged }, index) => {
    const [from = 0, to = from] = edges.slice(index, index + 2);
    return {
      label: spanTick(from, step, clock, length),
      title: spanText(from, to, clock),
      values: { flagged, others: emails - flagged },
    };
  });
}

export function CampaignTimeline({ read }: { read: Read<'campaigns.get'> }): JSX.Element {
  const clock = useClock();
  const { data } = read;
  return (
    <Panel
      title="Timeline"
      {...(data && data.undated > 0
        ? { count: `${plural(data.undated, 'email')} without a time left out` }
        : {})}
      {...panelState(read)}
      rows={5}
      noScroll
      className="en-fill"
      shownInstead="Showing an older timeline."
      actions={data?.timeline ? <Legend series={SERIES} /> : null}
      empty={
        data && !data.timeline
          ? { title: 'No times', reason: 'None of its emails says when it was received.' }
          : null
      }
    >
      {data?.timeline ? (
        <div className="ca-chart">
          <StackedBars
            label="Emails of the campaign over time"
            series={SERIES}
            bars={barsOf(data.timeline, clock)}
          />
        </div>
      ) : null}
    </Panel>
  );
}
