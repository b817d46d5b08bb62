import { Checkbox } from '@blueprintjs/core';
import type { JSX } from 'react';
import { exact, visibleText } from '#shared/model/format.ts';
import { type CatalogueFilter, FACETS, type Facet, type FacetName } from './catalogue.ts';

const LABELS: Readonly<Record<FacetName, string>> = {
  state: 'State',
  licence: 'Licence',
  category: 'Category',
  family: 'Family',
};

/** What the catalogue can be narrowed by, with counts. */
export function StackFacets(props: {
  facets: Readonly<Record<FacetName, readonly Facet[]>>;
  filter: CatalogueFilter;
  onFilter: (filter: CatalogueFilter) => void;
}): JSX.Element {
  const { facets, filter, onFilter } = props;
  const toggle = (facet: FacetName, value: string) => {
    const chosen = filter[facet];
    onFilter({
      ...filter,
      [facet]: chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value],
    });
  };
  return (
    <div className="pp-stack-facets">
      {FACETS.filter((facet) => facets[facet].length > 1 || filter[facet].length > 0).map((facet) => (
        <fieldset key={facet} className="pp-stack-facet">
          <legend>{LABELS[facet]}</legend>
          {facets[facet].map(({ value, label, count }) => (
            <div key={value} className="pp-stack-choice">
              <Checkbox
                checked={filter[facet].includes(value)}
                label={visibleText(label)}
                onChange={() => toggle(facet, value)}
              />
              <span className="pp-facet-count">{exact(count)}</span>
            </div>
          ))}
        </fieldset>
      ))}
    </div>
  );
}
