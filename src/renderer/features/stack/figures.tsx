import type { JSX } from 'react';
import { type Read, useRead } from '#renderer/bridge/use-read.ts';
import { countOf } from '#renderer/entity/mail-payload.ts';
import { AppIcon } from '#renderer/ui/app-icon.tsx';
import { SparkBars } from '#renderer/ui/charts/sparkbars.tsx';
import { useClock } from '#renderer/ui/clock-context.ts';
import { gridTime } from '#shared/model/clock.ts';
import type { AppStatistics } from '#shared/model/entities.ts';
import { exact, formatGridCount, visibleText } from '#shared/model/format.ts';
import type { Item } from './catalogue.ts';
import { FIGURES, noCounts } from './labels.ts';

type FigureName = (typeof FIGURES)[number]['id'];

/** One count: a dash when unknown, a muted 0, the exact number as tooltip. */
export function Count({ value }: { value: number | null | undefined }): JSX.Element {
  if (value === null || value === undefined) return <span className="pp-t3">–</span>;
  return (
    <span className={value === 0 ? 'pp-t3' : undefined} title={exact(value)}>
      {formatGridCount(value)}
    </span>
  );
}

const seriesOf = (counts: AppStatistics, name: FigureName): (number | null)[] =>
  (counts.series ?? []).map((bucket) => bucket[name] ?? null);

/** Start of each bucket of the series, in the chosen time zone. */
function useSeriesTimes(counts: AppStatistics | undefined): string[] {
  const clock = useClock();
  return (counts?.series ?? []).map(({ time }) => gridTime(time, clock));
}

/** The emails of evidence that a kind of check found or suspected something in. */
export function FlaggedFigure({ tool }: { tool: string }): JSX.Element {
  const { data, error } = useRead(
    'query.execute',
    countOf({
      field: 'stack',
      operator: 'contains_any',
      values: [`${tool}:found`, `${tool}:suspicious`],
    }),
  );
  if (error && !data) return <p className="pp-stack-none">Count unavailable</p>;
  return (
    <dl className="pp-stack-figures">
      <div>
        <dt>Flagged emails</dt>
        <dd>
          <Count value={data?.total_rows} />
        </dd>
      </div>
    </dl>
  );
}

/** Counts of an app with sparklines, or the reason why there are none. `read` is where they come from. */
export function Figures({
  counts,
  read,
  label,
}: {
  counts: AppStatistics | undefined;
  read: Pick<Read<'apps.statistics'>, 'data' | 'loading'>;
  label: string;
}): JSX.Element {
  const times = useSeriesTimes(counts);
  if (!counts) return <p className="pp-stack-none">{noCounts(read)}</p>;
  if (counts.error) {
    return <p className="pp-stack-none">No counts. {visibleText(counts.error)}.</p>;
  }
  return (
    <dl className="pp-stack-figures">
      {FIGURES.map(({ id, label: name, tone }) => (
        <div key={id}>
          <dt>{name}</dt>
          <dd>
            <Count value={counts[id]} />
          </dd>
          {counts.series?.length ? (
            <dd>
              <SparkBars
                values={seriesOf(counts, id)}
                times={times}
                label={`${name} in ${label}`}
                tone={tone}
                width={56}
                height={20}
              />
            </dd>
          ) : null}
        </div>
      ))}
    </dl>
  );
}

export function ItemMark({ item, product }: { item: Item; product: string }): JSX.Element {
  const name = visibleText(item.label);
  return (
    <span className="pp-row pp-stack-name">
      <span className="pp-t3 pp-stack-cell">
        <AppIcon app={item.app} product={product} />
      </span>
      <span className="pp-ellipsis" title={name}>
        {name}
      </span>
    </span>
  );
}
