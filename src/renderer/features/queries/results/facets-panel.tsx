import { ChevronDown, ChevronRight } from '@blueprintjs/icons';
import { type JSX, memo, useState } from 'react';
import { scrollStop } from '#renderer/ui/grid/scroll-stop.ts';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { SkeletonRows } from '#renderer/ui/skeleton.tsx';
import { VerdictGlyph } from '#renderer/ui/verdict-chip.tsx';
import type { LocalFilter, ResultSet } from '#shared/bridge/operations.ts';
import type { FieldConfig, QueryConfig } from '#shared/model/entities.ts';
import { exact, formatGridCount, plural } from '#shared/model/format.ts';
import { fieldTypeOf } from '#shared/query/operators.ts';
import { isMissingRows } from '../labels.ts';
import { fieldsById, isVerdictField } from '../query-run.ts';
import { countedLabel } from './result-columns.tsx';
import { type Facet, type Facets, type FacetValue, useFacets } from './use-facets.ts';

const SHOWN = 8;
const LONG_SHOWN = 3;

interface Choice {
  key: string;
  label: string;
  values: FacetValue[];
  count: number;
  verdict?: string;
  mono: boolean;
}

/** Numbers can be offered as none or some, "None" and "1 or more", if these say all that was counted. */
const areCounts = ({ values, distinct }: Facet): boolean =>
  values.length === distinct &&
  values.every(({ value }) => value === null || value === 0 || (typeof value === 'number' && value >= 1));

function numberChoices(facet: Facet): Choice[] {
  const none = facet.values.filter(({ value }) => value === 0);
  const some = facet.values.filter(({ value }) => typeof value === 'number' && value > 0);
  const sum = (values: Facet['values']) => values.reduce((total, { count }) => total + count, 0);
  const choice = (label: string, values: Facet['values']): Choice[] =>
    values.length === 0
      ? []
      : [{ key: label, label, values: values.map(({ value }) => value), count: sum(values), mono: false }];
  return [
    ...choice('None', none),
    ...choice('1 or more', some),
    ...choice(
      'Unknown',
      facet.values.filter(({ value }) => value === null),
    ),
  ];
}

function choicesOf(facet: Facet, field: FieldConfig | undefined): Choice[] {
  if (field && fieldTypeOf(field.type) === 'number' && areCounts(facet)) return numberChoices(facet);
  const verdict = field !== undefined && isVerdictField(field);
  const mono = field !== undefined && ['domain', 'email', 'ip', 'hash'].includes(fieldTypeOf(field.type));
  return facet.values.map(({ value, count }) => ({
    key: String(value),
    label: countedLabel(field, value),
    values: [value],
    count,
    mono: mono && value !== null && value !== '',
    ...(verdict && value !== null ? { verdict: String(value) } : {}),
  }));
}

/** Memoised, because the columns' values arrive one after the other. */
const FacetGroup = memo(function FacetGroup(props: {
  facet: Facet;
  label: string;
  field: FieldConfig | undefined;
  /** The chosen values of all columns. */
  facets: LocalFilter['facets'];
  onFacets: (facets: LocalFilter['facets']) => void;
}): JSX.Element | null {
  const { facet, label, field, facets, onFacets } = props;
  const chosen = facets[facet.column] ?? [];
  const onChoose = (values: FacetValue[]) => onFacets({ ...facets, [facet.column]: values });
  const [open, setOpen] = useState(true);
  const [more, setMore] = useState(false);
  const choices = choicesOf(facet, field);
  const least = field?.allowedValues ? SHOWN : LONG_SHOWN;
  const shown = more || choices.length <= least + 1 ? choices : choices.slice(0, least);
  const most = Math.max(1, ...choices.map(({ count }) => count));
  const hidden = facet.distinct - shown.length;
  const isOn = (choice: Choice) => choice.values.every((value) => chosen.includes(value));
  const toggle = (choice: Choice) =>
    onChoose(
      isOn(choice)
        ? chosen.filter((value) => !choice.values.includes(value))
        : [...chosen, ...choice.values.filter((value) => !chosen.includes(value))],
    );
  return (
    <fieldset className="pp-facet">
      <legend className="pp-visually-hidden">{label}</legend>
      <button type="button" className="pp-facet-title" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? <ChevronDown size={12} /> : <ChevronRight size={12} />}
        {label}
      </button>
      {open
        ? shown.map((choice) => (
            <label
              key={choice.key}
              className="pp-facet-value"
              title={`${choice.label}: ${exact(choice.count)}`}
            >
              <input
                type="checkbox"
                className="pp-visually-hidden"
                checked={isOn(choice)}
                onChange={() => toggle(choice)}
              />
              <span className="pp-facet-bar" style={{ width: `${(100 * choice.count) / most}%` }} />
              {choice.verdict ? <VerdictGlyph verdict={choice.verdict} /> : null}
              <span className={`pp-ellipsis pp-facet-name${choice.mono ? ' pp-cell-mono' : ''}`}>
                {choice.label}
              </span>
              <span className="pp-facet-count">{formatGridCount(choice.count)}</span>
            </label>
          ))
        : null}
      {open && (hidden > 0 || more) && choices.length > least + 1 ? (
        <LinkButton
          className="pp-facet-more"
          aria-label={`${more ? 'Show fewer' : `${exact(hidden)} more`}: ${label}`}
          onClick={() => setMore(!more)}
        >
          {more ? 'Show fewer' : `${exact(hidden)} more`}
        </LinkButton>
      ) : null}
    </fieldset>
  );
});

interface FacetsPanelProps {
  result: ResultSet;
  config: QueryConfig;
  filter: LocalFilter;
  onFacets: (facets: LocalFilter['facets']) => void;
}

/** Facets of the loaded rows; choosing one filters locally, without a request. */
export function FacetsPanel(props: FacetsPanelProps): JSX.Element {
  return <FacetList {...props} facets={useFacets(props.result, props.config, props.filter)} />;
}

export function FacetList(props: FacetsPanelProps & { facets: Facets }): JSX.Element {
  const { result, config, facets, filter, onFacets } = props;
  const fields = fieldsById(config);
  const labels = new Map(result.columns.map(({ id, label }) => [id, label]));
  if (facets.facets === null)
    return facets.error ? (
      <p className="pp-facet-note pp-t3">{facets.error.message}</p>
    ) : (
      <SkeletonRows rows={9} labelWidth={64} />
    );
  if (facets.facets.length === 0)
    return <p className="pp-facet-note pp-t3">No column of these rows has few values to choose from.</p>;
  return (
    <div ref={scrollStop} className="pp-facets">
      {facets.facets.map((facet) =>
        facet.values.length === 0 ? null : (
          <FacetGroup
            key={facet.column}
            facet={facet}
            label={facet.column === 'clicks' ? 'Clicked' : (labels.get(facet.column) ?? facet.column)}
            field={fields.get(facet.column)}
            facets={filter.facets}
            onFacets={onFacets}
          />
        ),
      )}
      {isMissingRows(result) ? (
        <p className="pp-facet-note pp-t3">
          {/* While rows arrive, each facet was counted at a different moment. */}
          {result.state === 'filling'
            ? 'Rows are still being fetched. Counts follow.'
            : `Counted in the ${plural(result.loaded, 'loaded row')}.`}
        </p>
      ) : null}
    </div>
  );
}
