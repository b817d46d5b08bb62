/**
 * An address or domain with its menu, as profiles and the preview show it: look-alike domains are marked with the
 * domain they imitate.
 */
import type { JSX } from 'react';
import { EntityValue } from '#renderer/ui/entity-value.tsx';
import { visibleText } from '#shared/model/format.ts';
import { type LookalikeReading, readLookalikes } from '#shared/model/lookalike.ts';

interface AddressValueProps {
  address: string;
  /** Knows which domains are likely to be imitated; without it, only the letters themselves are checked. */
  lookalike?: (value: string) => LookalikeReading;
  /** The query field it fills. */
  field?: string;
}

/** A homograph is shown in Punycode, followed by the name it imitates. */
export function AddressValue({ address, lookalike = readLookalikes, field }: AddressValueProps): JSX.Element {
  const { shown, marks, encoded, readsAs, looksLike, imitates } = lookalike(address);
  const value = (
    <EntityValue
      entity={{ kind: 'email', value: address, ...(field ? { field } : {}) }}
      text={shown}
      marks={marks.map(({ start, end }) => [start, end] as const)}
    />
  );
  const passesFor = imitates ?? looksLike;
  if (encoded === null && readsAs === null && passesFor === null) return value;
  return (
    <span className="pp-address-notes">
      {value}
      {encoded === null ? null : <span className="pp-small">sent as {visibleText(encoded)}</span>}
      {passesFor !== null ? (
        <span className="pp-caution pp-small">looks like {visibleText(passesFor)}</span>
      ) : readsAs === null ? null : (
        <span className="pp-caution pp-small">some mail clients show {visibleText(readsAs)}</span>
      )}
    </span>
  );
}
