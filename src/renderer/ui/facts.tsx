import type { JSX, ReactNode } from 'react';

export interface Fact {
  label: string;
  /** null, undefined and '' read "Not recorded". */
  value: ReactNode;
  note?: ReactNode;
}

export function Facts({ facts }: { facts: readonly Fact[] }): JSX.Element {
  return (
    <dl className="pp-facts">
      {facts.map((fact) => (
        <div key={fact.label}>
          <dt>{fact.label}</dt>
          <dd>
            {fact.value === null || fact.value === undefined || fact.value === '' ? (
              <span className="pp-unknown">Not recorded</span>
            ) : (
              fact.value
            )}
            {fact.note ? <span className="pp-fact-note">{fact.note}</span> : null}
          </dd>
        </div>
      ))}
    </dl>
  );
}
