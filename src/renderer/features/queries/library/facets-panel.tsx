import { Chart, Duplicate, History, Layers, SearchText, Star, TimelineEvents } from '@blueprintjs/icons';
import type { ComponentType, JSX } from 'react';
import { FacetGroup } from '#renderer/ui/facet-group.tsx';
import { dictionary } from '#shared/dictionary.ts';
import { exact } from '#shared/model/format.ts';
import { FACET_LABELS } from '../labels.ts';
import { FACETS, type LibraryFacet, type LibraryFacets, type LibraryFilter } from './library-facets.ts';

const ICONS: Readonly<Record<string, ComponentType<{ size?: number }>>> = dictionary({
  '': Layers,
  query: SearchText,
  report: Chart,
  analytics: TimelineEvents,
  template: Duplicate,
  favourite: Star,
  recent: History,
});

/** Values that at least one query has, plus the selected ones. */
const shown = (values: readonly LibraryFacet[], chosen: readonly string[]) =>
  values.filter(({ value, count }) => count > 0 || chosen.includes(value));

export function LibraryFacetsPanel(props: {
  facets: LibraryFacets;
  /** Whether the list has been loaded; otherwise there are no counts. */
  isKnown: boolean;
  filter: LibraryFilter;
  onFilter: (filter: LibraryFilter) => void;
}): JSX.Element {
  const { facets, isKnown, filter, onFilter } = props;
  return (
    <div className="pp-filters">
      <fieldset className="pp-facet-group">
        <legend>Kind</legend>
        {facets.kinds.map(({ value, label, count }) => {
          const Icon = ICONS[value] ?? SearchText;
          const chosen = (filter.kind ?? '') === value;
          return (
            <label key={value} className="pp-library-kind" data-kind={value || 'all'}>
              <input
                type="radio"
                name="library-kind"
                className="pp-visually-hidden"
                checked={chosen}
                onChange={() => onFilter({ ...filter, kind: value || null })}
              />
              <Icon size={14} />
              <span className="pp-ellipsis pp-spacer">{label}</span>
              <span className="pp-facet-count">{isKnown ? exact(count) : '–'}</span>
            </label>
          );
        })}
      </fieldset>
      {FACETS.map((name) => (
        <FacetGroup
          key={name}
          label={FACET_LABELS[name]}
          values={shown(facets[name], filter[name])}
          chosen={filter[name]}
          onChange={(chosen) => onFilter({ ...filter, [name]: chosen })}
        />
      ))}
      <FacetGroup
        label="Schedule"
        values={shown(
          [{ value: 'scheduled', label: 'Scheduled', count: facets.scheduled }],
          filter.scheduled ? ['scheduled'] : [],
        )}
        chosen={filter.scheduled ? ['scheduled'] : []}
        onChange={(chosen) => onFilter({ ...filter, scheduled: chosen.length > 0 })}
      />
    </div>
  );
}
