import { HTMLSelect } from '@blueprintjs/core';
import type { JSX } from 'react';
import type { PlannedQuery } from '#shared/bridge/operations.ts';
import { visibleText } from '#shared/model/format.ts';
import { DomainIcon } from '../domain-icon.tsx';
import { CHOICE_LABELS, choicesOf, type ImportChoice } from './import-choices.ts';

const STATE_LABELS: Readonly<Record<PlannedQuery['state'], string>> = {
  new: 'New',
  changed: 'Changed',
  same: 'Same',
  invalid: 'Invalid',
};

/** Fields of a query as the screens name them; others keep their own word. */
/** Fields of a query by the names that the specification gives them. */
export const FIELD_LABELS: Readonly<Record<string, string>> = {
  name: 'Name',
  description: 'Description',
  entityType: 'Entity',
  saas: 'App',
  subType: 'Kind',
  severity: 'Severity',
  filter: 'Conditions',
  columns: 'Columns',
  sort: 'Sort',
  reportColumns: 'Report columns',
  reportCondition: 'Report condition',
  scheduledExport: 'Schedule',
  actionsList: 'Actions',
};

/** One query of a file: what it is, how it differs from the saved one, and what to do with it. */
export function ImportRow(props: {
  query: PlannedQuery;
  choice: ImportChoice;
  onChoose: (choice: ImportChoice) => void;
}): JSX.Element {
  const { query, choice, onChoose } = props;
  const choices = choicesOf(query);
  return (
    <div className="pp-plan" data-state={query.state}>
      <div className="pp-plan-head">
        <span className={`pp-plan-state pp-plan-${query.state}`}>{STATE_LABELS[query.state]}</span>
        {query.domain ? <DomainIcon domain={query.domain} /> : null}
        <span className="pp-ellipsis pp-spacer" title={query.label}>
          {visibleText(query.label)}
        </span>
        {choices.length > 1 ? (
          <HTMLSelect
            aria-label={`What to do with ${query.label}`}
            value={choice}
            options={choices.map((value) => ({ value, label: CHOICE_LABELS[value] }))}
            onChange={({ currentTarget }) =>
              onChoose(choices.find((one) => one === currentTarget.value) ?? 'skip')
            }
          />
        ) : null}
      </div>
      {query.reason ? <p className="pp-small pp-danger">{visibleText(query.reason)}</p> : null}
      {query.match && query.match.name !== query.label ? (
        <p className="pp-small pp-t2">Saved as “{visibleText(query.match.name)}”.</p>
      ) : null}
      {query.changes.length > 0 ? (
        <dl className="pp-plan-diff">
          {query.changes.map(({ field, before, after }) => (
            <div key={field}>
              <dt>{FIELD_LABELS[field] ?? field}</dt>
              <dd>
                <del>{visibleText(before)}</del>
                <ins>{visibleText(after)}</ins>
              </dd>
            </div>
          ))}
        </dl>
      ) : null}
      {query.warnings.map((warning) => (
        <p key={warning} className="pp-small pp-caution">
          {visibleText(warning)}
        </p>
      ))}
    </div>
  );
}
