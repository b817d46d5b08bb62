import { Checkbox } from '@blueprintjs/core';
import type { JSX } from 'react';
import { exact, visibleText } from '#shared/model/format.ts';

export interface FacetValue {
  value: string;
  label: string;
  count: number;
}

/** One facet of a list: a checkbox per value with its count. Without a choice, nothing is filtered. */
export function FacetGroup(props: {
  label: string;
  /** Without `count`: not counted. */
  values: readonly (Omit<FacetValue, 'count'> & Partial<FacetValue>)[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}): JSX.Element | null {
  const { label, values, chosen, onChange } = props;
  if (values.length === 0) return null;
  return (
    <fieldset className="pp-facet-group">
      <legend>{label}</legend>
      {values.map(({ value, label: name, count }) => (
        <div key={value} className="pp-facet-choice">
          <Checkbox
            checked={chosen.includes(value)}
            label={visibleText(name)}
            onChange={() =>
              onChange(
                chosen.includes(value) ? chosen.filter((choice) => choice !== value) : [...chosen, value],
              )
            }
          />
          {count === undefined ? null : <span className="pp-facet-count">{exact(count)}</span>}
        </div>
      ))}
    </fieldset>
  );
}
