import { Button } from '@blueprintjs/core';
import { type JSX, memo, useState } from 'react';
import { Segmented } from '#renderer/ui/form/segmented.tsx';
import { GlyphError } from '#renderer/ui/glyphs.tsx';
import type { LoginFilter } from '#shared/logins/login-filter.ts';
import { exact } from '#shared/model/format.ts';
import { outcomeWord } from './choices.ts';
import type { MapSummary } from './engine.ts';
import { type Part, toggle } from './filter-state.ts';
import { isOfUsersAlone, LIST_OPTIONS, LIST_TITLES, USERS_ALONE } from './labels.ts';
import { LoginList, type RowPlace } from './login-list.tsx';
import { RankedList } from './ranked-list.tsx';
import { TravelList, useTravel } from './travel-list.tsx';
import type { LayerRead } from './use-layers.ts';
import type { SummaryRows } from './use-logins.ts';

interface LayerProblem {
  layer: LayerRead;
  reason: string;
  /** What is shown instead. */
  rest: string;
}

function LayerError(props: { which: string; problem: LayerProblem; onRetry: () => void }): JSX.Element {
  const { reason, rest } = props.problem;
  return (
    <div className="pp-error-bar pp-map-error" role="alert" title={reason}>
      <GlyphError size={14} />
      <span className="pp-error-text">
        {props.which}: {rest}. {reason}
      </span>
      <Button size="small" variant="minimal" text="Retry" onClick={props.onRetry} />
    </div>
  );
}

/** One line per layer that failed: which one is empty, why, and Retry. If all failed for the same reason, one for all. */
function LayerErrors({
  layers,
  broken,
  nameOf,
}: {
  layers: readonly LayerRead[];
  broken: (layer: LayerRead) => string | null;
  nameOf: (module: string) => string;
}): JSX.Element {
  const problems = layers.flatMap((layer): LayerProblem[] => {
    const reason = broken(layer) ?? layer.error?.message;
    if (!reason) return [];
    const isEmpty = layer.pages.length === 0 || broken(layer) !== null;
    const isPart = layer.pages.length < layer.requested;
    const rest = isEmpty ? 'no data' : isPart ? 'only a part of the data is shown' : 'saved data shown';
    return [{ layer, reason, rest }];
  });
  const [first, ...others] = problems;
  const isShared = others.every(({ reason, rest }) => reason === first?.reason && rest === first.rest);
  if (first && others.length > 0 && problems.length === layers.length && isShared)
    return (
      <LayerError
        which={`All ${exact(layers.length)} layers`}
        problem={first}
        onRetry={() => {
          for (const { refresh } of layers) refresh();
        }}
      />
    );
  return (
    <>
      {problems.map((problem) => {
        const { module, failed, refresh } = problem.layer;
        const outcome = failed === null ? 'logins of unknown outcome' : `${outcomeWord(failed)} logins`;
        return (
          <LayerError
            key={`${module} ${failed}`}
            which={`${nameOf(module)}, ${outcome}`}
            problem={problem}
            onRetry={refresh}
          />
        );
      })}
    </>
  );
}

export type ListView = 'rarest' | Part | 'travel';

/**
 * Whether a ranking may lack values because only some users' logins are loaded. A ranking ignores its own part of the
 * filter, but the users were chosen by that part.
 */
function isLimiting({ users, ips, countries }: LoginFilter, view: ListView): boolean {
  if (view === 'users') return (users?.length ?? 0) > 0;
  const part = { ips, countries, rarest: undefined, travel: undefined }[view];
  return !users?.length && (part?.length ?? 0) > 0;
}

interface SidePaneProps {
  summary: MapSummary | null;
  ask: SummaryRows | null;
  filter: LoginFilter;
  onFilter: (filter: LoginFilter) => void;
  layers: readonly LayerRead[];
  broken: (layer: LayerRead) => string | null;
  nameOf: (module: string) => string;
  onRow: (place: RowPlace) => void;
  empty: JSX.Element | null;
  /** More logins follow. */
  isPartial: boolean;
  /** Logins are missing for good. */
  lacks: boolean;
  /** Loads the logins of the other users too. */
  onEverybody: () => void;
}

/** The side pane: logins, rankings and impossible travel under the same filter. */
export const SidePane = memo(function SidePane(props: SidePaneProps): JSX.Element {
  const { summary, ask, filter, onFilter } = props;
  const [view, setView] = useState<ListView>('rarest');
  const travel = useTravel(ask);
  const isUnsure = props.isPartial || props.lacks;
  const count =
    view === 'travel' ? travel?.total : view === 'rarest' ? summary?.rows : summary?.distinct[view];
  const options = LIST_OPTIONS.map((option) =>
    option.value === 'travel' && travel?.total
      ? { ...option, label: `Travel ${exact(travel.total)}` }
      : option,
  );
  return (
    <section className="pp-panel pp-map-side" aria-label={LIST_TITLES[view]}>
      <header className="pp-panel-header">
        <h2>{LIST_TITLES[view]}</h2>
        <span className="pp-panel-count">
          {count === undefined || (count === 0 && isUnsure)
            ? ''
            : `${props.lacks ? 'at least ' : ''}${exact(count)}${props.isPartial ? ' so far' : ''}`}
        </span>
      </header>
      <div className="pp-map-views">
        <Segmented compact label="List" options={options} value={view} onChange={setView} />
      </div>
      <LayerErrors layers={props.layers} broken={props.broken} nameOf={props.nameOf} />
      {isOfUsersAlone(props.layers) && isLimiting(filter, view) ? (
        <div className="pp-map-alone" role="note">
          <span>{USERS_ALONE}.</span>
          <Button size="small" variant="minimal" text="Load all" onClick={props.onEverybody} />
        </div>
      ) : null}
      <div className={`pp-panel-body${view === 'travel' ? '' : ' pp-no-scroll'}`}>
        {props.empty ? (
          props.empty
        ) : view === 'travel' ? (
          <TravelList travel={travel} isPartial={isUnsure} />
        ) : view !== 'rarest' && ask && summary ? (
          <RankedList
            key={view}
            part={view}
            count={summary.distinct[view]}
            ranked={ask.ranked}
            chosen={filter[view]}
            onToggle={(value) => onFilter(toggle(filter, view, value))}
          />
        ) : ask && summary ? (
          <LoginList rows={ask.rows} count={summary.rows} onOpen={props.onRow} />
        ) : null}
      </div>
    </section>
  );
});
