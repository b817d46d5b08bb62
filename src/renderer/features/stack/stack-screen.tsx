import { Button } from '@blueprintjs/core';
import { type JSX, useState } from 'react';
import { useCommands } from '#renderer/commands/command.tsx';
import { STACK } from '#renderer/commands/keys.ts';
import { usePanelWidth } from '#renderer/state/preferences.ts';
import { useTabStatus } from '#renderer/state/tab-context.ts';
import { CountedSpan } from '#renderer/ui/charts/counted-span.tsx';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { ErrorBar, ErrorState } from '#renderer/ui/error-bar.tsx';
import { FacetGroup, type FacetValue } from '#renderer/ui/facet-group.tsx';
import { SkeletonRows, useDelayed } from '#renderer/ui/skeleton.tsx';
import { ThreePanes } from '#renderer/ui/three-panes.tsx';
import { exact } from '#shared/model/format.ts';
import { type CatalogueFilter, FACETS, type FacetName, NO_FILTER } from './catalogue.ts';
import { CatalogueCards, CatalogueTable } from './catalogue-views.tsx';
import { ItemDetail } from './item-detail.tsx';
import { FACET_LABELS, HINTS } from './labels.ts';
import { StackHeader, type View } from './stack-header.tsx';
import { type Catalogue, useCatalogue } from './use-catalogue.ts';
import './stack.css';

function StackFacets(props: {
  facets: Readonly<Record<FacetName, readonly FacetValue[]>>;
  filter: CatalogueFilter;
  onFilter: (filter: CatalogueFilter) => void;
}): JSX.Element {
  const { facets, filter, onFilter } = props;
  return (
    <div className="pp-filters">
      {FACETS.filter((facet) => facets[facet].length > 1 || filter[facet].length > 0).map((facet) => (
        <FacetGroup
          key={facet}
          label={FACET_LABELS[facet]}
          values={facets[facet]}
          chosen={filter[facet]}
          onChange={(chosen) => onFilter({ ...filter, [facet]: chosen })}
        />
      ))}
    </div>
  );
}

/** Error, loading or empty state; null when there are items. */
function Instead({ catalogue }: { catalogue: Catalogue }): JSX.Element | null {
  const { apps, items, total, setFilter } = catalogue;
  const late = useDelayed(apps.loading && !apps.data);
  if (!apps.data) {
    if (apps.error && !apps.loading) {
      return (
        <ErrorState title="The catalogue could not be loaded" error={apps.error} onRetry={apps.refresh} />
      );
    }
    return late ? <SkeletonRows rows={12} /> : <div />;
  }
  if (total === 0) {
    return <EmptyState title="No apps or tools" reason="The service lists none for this connection." />;
  }
  if (items.length > 0) return null;
  return (
    <EmptyState
      title="No matches"
      reason={`${exact(total)} hidden by search and filters.`}
      action={<Button text="Clear filters" onClick={() => setFilter(NO_FILTER)} />}
    />
  );
}

export default function StackScreen(): JSX.Element {
  const catalogue = useCatalogue();
  const [view, setView] = useState<View>('cards');
  const [chosen, setChosen] = useState<string | null>(null);
  const facetsWidth = usePanelWidth('stack-facets');
  const detailWidth = usePanelWidth('stack-detail');
  const { apps, statistics, items, total } = catalogue;
  const item = items.find(({ app }) => app.name === chosen) ?? items[0] ?? null;
  const instead = items.length > 0 ? null : <Instead catalogue={catalogue} />;

  const move = (by: 1 | -1) => {
    const index = items.findIndex(({ app }) => app.name === item?.app.name);
    const next = items[Math.max(0, Math.min(items.length - 1, index + by))];
    if (!next) return false;
    setChosen(next.app.name);
    document.querySelector<HTMLElement>(`[data-item="${CSS.escape(next.app.name)}"]`)?.focus();
    return true;
  };
  useCommands([
    { ...STACK.next, run: () => move(1) },
    { ...STACK.previous, run: () => move(-1) },
  ]);
  useTabStatus({
    ...(apps.data
      ? {
          message: `${exact(items.length)}${items.length === total ? '' : ` of ${exact(total)}`} ${catalogue.isEvidence ? 'checks' : 'apps and tools'}`,
        }
      : {}),
    hints: HINTS,
  });

  const shared = { catalogue, chosen: item?.app.name ?? null, onChoose: setChosen };
  return (
    <ThreePanes
      className="pp-stack-screen"
      header={<StackHeader catalogue={catalogue} view={view} onView={setView} />}
      bars={
        <>
          {apps.error && apps.data ? (
            <ErrorBar error={apps.error} shownInstead="Showing the saved catalogue." onRetry={apps.refresh} />
          ) : null}
          {catalogue.isEvidence ? null : (
            <CountedSpan statistics={statistics.data} window={catalogue.window} />
          )}
          {statistics.error && !catalogue.isEvidence ? (
            <ErrorBar
              error={statistics.error}
              shownInstead={statistics.data ? 'Showing older counts.' : 'No counts are shown.'}
              onRetry={statistics.refresh}
            />
          ) : null}
        </>
      }
      left={{
        label: 'Filters',
        defaultWidth: [192, 176],
        width: facetsWidth,
        content: (
          <StackFacets facets={catalogue.facets} filter={catalogue.filter} onFilter={catalogue.setFilter} />
        ),
      }}
      right={{
        label: 'Details',
        defaultWidth: [384, 304],
        width: detailWidth,
        content: item ? <ItemDetail key={item.app.name} item={item} catalogue={catalogue} /> : null,
      }}
    >
      <div className="pp-stack-list" aria-busy={apps.loading}>
        {instead ?? (view === 'cards' ? <CatalogueCards {...shared} /> : <CatalogueTable {...shared} />)}
      </div>
    </ThreePanes>
  );
}
