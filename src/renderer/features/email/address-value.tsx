import type { JSX } from 'react';
import { EntityValue } from '#renderer/ui/entity-value.tsx';
import type { Mailbox } from '#shared/model/entities.ts';
import { visibleText } from '#shared/model/format.ts';
import type { LookalikeReading } from '#shared/model/lookalike.ts';

interface AddressValueProps {
  address: string;
  lookalike: (value: string) => LookalikeReading;
  /** The query field it fills. */
  field?: string;
}

/** An address with its menu, characters that pass for others marked. */
export function AddressValue({ address, lookalike, field }: AddressValueProps): JSX.Element {
  const reading = lookalike(address);
  const value = (
    <EntityValue
      entity={{ kind: 'email', value: address, ...(field ? { field } : {}) }}
      text={reading.shown}
      marks={reading.marks.map(({ start, end }) => [start, end] as const)}
    />
  );
  if (reading.encoded === null && reading.readsAs === null) return value;
  return (
    <span className="em-mailbox">
      {value}
      {reading.encoded === null ? null : (
        <span className="pp-small">sent as {visibleText(reading.encoded)}</span>
      )}
      {reading.readsAs === null ? null : (
        <span className="pp-caution pp-small">other programs may show {visibleText(reading.readsAs)}</span>
      )}
    </span>
  );
}

/** Name above, address below; what an address imitates is said in words. */
export function MailboxValue(props: Omit<AddressValueProps, 'address'> & { mailbox: Mailbox }): JSX.Element {
  const { mailbox, ...rest } = props;
  const { imitates } = props.lookalike(mailbox.email);
  return (
    <span className="em-mailbox">
      {mailbox.name ? <span>{visibleText(mailbox.name)}</span> : null}
      {mailbox.email ? (
        <AddressValue address={mailbox.email} {...rest} />
      ) : (
        <span className="pp-unknown">No address</span>
      )}
      {imitates === null ? null : (
        <span className="pp-caution pp-small">reads like {visibleText(imitates)}</span>
      )}
    </span>
  );
}
