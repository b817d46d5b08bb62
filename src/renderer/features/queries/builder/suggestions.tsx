import type { JSX } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { useQueryConfig } from '../use-config.ts';
import { peopleDomains, peopleOf, peopleQuery, personFields, useSettled } from './people.ts';

const SHOWN = 8;

function Options({ domain, text }: { domain: string; text: string }): JSX.Element | null {
  const { data: config } = useQueryConfig(domain, null);
  const fields = config ? personFields(config) : null;
  const searched = fields && [
    fields.address,
    ...(fields.name?.operators.includes('contains_text') ? [fields.name] : []),
  ];
  const body =
    fields &&
    peopleQuery(
      domain,
      fields,
      (searched ?? []).map(({ id }) => ({ field: id, operator: 'contains_text', values: [text] })),
      SHOWN,
    );
  const { data } = useRead('query.execute', body && { body });
  if (!fields) return null;
  return (
    <>
      {peopleOf(data?.rows ?? [], fields).map(([address, name]) => (
        <option key={address} value={address}>
          {name ?? undefined}
        </option>
      ))}
    </>
  );
}

/** Users and groups of the service whose name or address holds the text, for an input's `list`. */
export function Suggestions({ id, type, text }: { id: string; type: string; text: string }): JSX.Element {
  const settled = useSettled(text.trim());
  return (
    <datalist id={id}>
      {settled.length < 2
        ? null
        : peopleDomains(type).map((domain) => <Options key={domain} domain={domain} text={settled} />)}
    </datalist>
  );
}
