import type { JSX } from 'react';
import { copyText } from '#renderer/state/entity-actions.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { plural } from '#shared/model/format.ts';
import { extraFields } from './extra-facts.ts';

/** A folded list of the fields that are not shown elsewhere. `shape` is the fields that are. */
export function MoreFields({
  record,
  shape,
}: {
  record: Readonly<Record<string, unknown>>;
  shape: object;
}): JSX.Element | null {
  const clock = useClock();
  const facts = extraFields(record, shape, clock);
  if (facts.length === 0) return null;
  return (
    <details className="en-more-fields">
      <summary>{plural(facts.length, 'more field', 'more fields')}</summary>
      <dl className="en-reasons">
        {facts.map(({ key, label, value }) => (
          <div key={key}>
            <dt>{label}</dt>
            <dd>{value ?? <span className="pp-unknown">Empty</span>}</dd>
          </div>
        ))}
      </dl>
      <LinkButton onClick={() => void copyText(JSON.stringify(record, null, 2), 'Copied as JSON')}>
        Copy all as JSON
      </LinkButton>
    </details>
  );
}
