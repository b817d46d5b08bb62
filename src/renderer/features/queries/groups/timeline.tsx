import { ChevronDown, ChevronRight } from '@blueprintjs/icons';
import { type JSX, useMemo } from 'react';
import { setPreferences, usePreferences } from '#renderer/state/preferences.ts';
import { type Bar, Legend, StackedBars } from '#renderer/ui/charts/stacked-bars.tsx';
import { useClock } from '#renderer/ui/clock-context.ts';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { verdictWord } from '#renderer/ui/verdict-chip.tsx';
import type { Groups, ResultSet } from '#shared/bridge/operations.ts';
import type { ClockSetting } from '#shared/model/clock.ts';
import type { QueryConfig } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import { ROLL_UP_ORDER } from '#shared/model/verdict.ts';
import { isMissingRows, totalText } from '../labels.ts';
import { fieldsById, isVerdictField, timeField } from '../query-run.ts';
import type { FilterState } from '../results/use-filter.ts';
import { withAside, withSpan } from './group-view.ts';
import { ASIDE, NO_TIME, spanText, spanTick, stepText, TIMELINE } from './labels.ts';
import { useGroups } from './use-groups.ts';

const BARS = 60;
/** Must be larger than the number of verdicts. */
const VERDICTS = 12;

type Spans = Extract<Groups['axes'][number], { edges: unknown }>;

const ROWS = { id: 'rows', label: 'Rows', tone: 'accent' };

/** Stack series from the most severe; rows without a verdict count as unknown. */
function seriesOf(values: readonly unknown[] | null) {
  if (values === null) return [ROWS];
  const words = new Set([...values.map((value) => String(value ?? 'unknown')), 'unknown']);
  return ROLL_UP_ORDER.filter((word) => words.has(word)).map((word) => ({
    id: word,
    label: word === 'unknown' ? 'Unknown' : verdictWord(word),
    tone: word === 'hidden' ? 'neutral' : word,
  }));
}

function timelineBars(groups: Groups, clock: ClockSetting) {
  const [spans, verdicts] = groups.axes;
  if (spans === undefined || !('edges' in spans)) return null;
  const values = verdicts !== undefined && 'values' in verdicts ? verdicts.values : null;
  const all = seriesOf(values);
  const ids = new Set(all.map(({ id }) => id));
  const counts = new Map<string, number>();
  let without = 0;
  for (const { at, count } of groups.cells) {
    const [place = 0, beside] = at;
    if (place >= spans.edges.length - 1) without += count;
    else {
      const word = values === null ? ROWS.id : String(values[beside ?? 0] ?? 'unknown');
      const id = `${place} ${ids.has(word) ? word : 'unknown'}`;
      counts.set(id, (counts.get(id) ?? 0) + count);
    }
  }
  const used = new Set([...counts.keys()].map((id) => id.slice(id.indexOf(' ') + 1)));
  const series = all.filter(({ id }) => used.has(id));
  const length = (spans.edges.at(-1) ?? 0) - (spans.edges[0] ?? 0);
  const bars = spans.edges.slice(0, -1).map(
    (from, place): Bar => ({
      label: spanTick(from, spans.step, clock, length),
      title: spanText(from, spans.edges[place + 1] ?? from, clock),
      values: Object.fromEntries(series.map(({ id }) => [id, counts.get(`${place} ${id}`) ?? 0])),
    }),
  );
  return { spans, series, bars, without };
}

const narrow =
  (filter: FilterState, { column, edges }: Spans) =>
  (from: number, to: number) => {
    const [begin, end] = [edges[from], edges[to + 1]];
    if (begin !== undefined && end !== undefined)
      filter.editTree((tree) => withSpan(tree, column, [begin, end]));
  };

/** The rows over time above a result: a range selected by dragging or by keys filters them. */
export function Timeline(props: {
  result: ResultSet;
  config: QueryConfig;
  filter: FilterState;
}): JSX.Element | null {
  const { result, config, filter } = props;
  const clock = useClock();
  const { timeline: isOpen } = usePreferences();
  const fields = fieldsById(config);
  const has = new Set(result.columns.map(({ id }) => id));
  const time = timeField(config);
  const verdict = result.columns.find(({ id }) => {
    const field = fields.get(id);
    return field !== undefined && isVerdictField(field);
  });
  const column = time !== null && has.has(time.id) ? time.id : null;
  const by = [
    { column: column ?? '', most: BARS },
    ...(verdict ? [{ column: verdict.id, most: VERDICTS }] : []),
  ];
  const { groups, error, busy } = useGroups(
    result,
    column === null || !isOpen ? null : { by, clock, filter: filter.filter },
  );
  const drawn = useMemo(() => (groups === null ? null : timelineBars(groups, clock)), [groups, clock]);
  if (column === null || time === null) return null;
  const isEmpty = result.total === 0 || (groups !== null && !drawn?.bars.length);
  if (isEmpty && (result.total === 0 || !drawn?.without)) return null;
  return (
    <section className="pp-timeline" aria-label={`${time.label} over time`} aria-busy={busy}>
      <div className="pp-timeline-head">
        <button
          type="button"
          className="pp-timeline-toggle"
          aria-expanded={isOpen}
          title={isOpen ? TIMELINE.hide : TIMELINE.show}
          onClick={() => setPreferences({ timeline: !isOpen })}
        >
          {isOpen ? <ChevronDown size={12} /> : <ChevronRight size={12} />}
          {time.label}
        </button>
        {isOpen && drawn !== null && drawn.bars.length > 0 ? (
          <span className="pp-t3" title={TIMELINE.keys}>
            {stepText(drawn.spans.step)}
          </span>
        ) : null}
        {isOpen && drawn !== null && drawn.without > 0 ? (
          <LinkButton onClick={() => filter.setFacets({ ...filter.filter.facets, [column]: [null] })}>
            {NO_TIME}: {exact(drawn.without)}
          </LinkButton>
        ) : null}
        {isOpen && drawn !== null && drawn.spans.aside > 0 ? (
          <LinkButton onClick={() => filter.editTree((tree) => withAside(tree, column, drawn.spans.edges))}>
            {ASIDE}: {exact(drawn.spans.aside)}
          </LinkButton>
        ) : null}
        {isOpen && isMissingRows(result) ? (
          <span className="pp-caution">
            {exact(result.loaded)} fetched of {totalText(result)}
          </span>
        ) : null}
        <span className="pp-spacer" />
        {isOpen && drawn !== null && drawn.series.length > 1 ? <Legend series={drawn.series} /> : null}
      </div>
      {isOpen && !isEmpty ? (
        <div className="pp-timeline-chart">
          {error !== null ? <p className="pp-t3">{error.message}</p> : null}
          {drawn !== null && drawn.bars.length > 0 ? (
            <StackedBars
              label={`${time.label}, ${stepText(drawn.spans.step)}. ${TIMELINE.keys}`}
              series={drawn.series}
              bars={drawn.bars}
              onRange={narrow(filter, drawn.spans)}
            />
          ) : null}
        </div>
      ) : null}
    </section>
  );
}
