import type { JSX } from 'react';
import { FacetGroup, type FacetValue } from '#renderer/ui/facet-group.tsx';
import { type CatalogueFilter, FACETS, type FacetName } from './catalogue.ts';

const LABELS: Readonly<Record<FacetName, string>> = {
  state: 'State',
  licence: 'Licence',
  category: 'Category',
  family: 'Family',
};

/** What the catalogue can be narrowed by, with counts. */
export function StackFacets(props: {
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
          label={LABELS[facet]}
          values={facets[facet]}
          chosen={filter[facet]}
          onChange={(chosen) => onFilter({ ...filter, [facet]: chosen })}
        />
      ))}
    </div>
  );
}
