import { type JSX, useEffect, useState } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import type { ExecutePayload } from '#shared/api/catalogue/queries.ts';
import type { FieldConfig, QueryConfig } from '#shared/model/entities.ts';
import { EVERY_APP } from '../query-run.ts';
import { useQueryConfig } from '../use-config.ts';

/** Which domains hold the values of a field type: users and groups are found by what the service knows of them. */
const DOMAINS: Readonly<Record<string, readonly string[]>> = {
  user: ['user'],
  group: ['group'],
  email: ['user', 'group'],
};
const SHOWN = 8;
const DEBOUNCE_MS = 250;

export const suggestsPeople = (field: FieldConfig | undefined): boolean =>
  Object.hasOwn(DOMAINS, field?.type ?? '');

/** The field of a domain that holds its entities' addresses, and the one that names them; by the config's types. */
export function personFields(config: QueryConfig): { address: FieldConfig; name: FieldConfig | null } | null {
  const address = config.fields.find(
    ({ type, operators }) => type === 'email' && operators.includes('contains_text'),
  );
  if (!address) return null;
  const shown = config.columns.map(({ id }) => id);
  const name = config.fields.find(({ id, type }) => type === 'text' && shown.includes(id));
  return { address, name: name ?? null };
}

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

function Options({ domain, text }: { domain: string; text: string }): JSX.Element | null {
  const { data: config } = useQueryConfig(domain, null);
  const fields = config ? personFields(config) : null;
  const body: ExecutePayload | null = fields && {
    query_domain: domain,
    saas_id: EVERY_APP,
    query_entity_type: domain,
    condition: {
      operator: 'or',
      conditions: [
        fields.address,
        ...(fields.name?.operators.includes('contains_text') ? [fields.name] : []),
      ].map(({ id }) => ({ field: id, operator: 'contains_text', values: [text] })),
    },
    columns: [fields.address.id, ...(fields.name ? [fields.name.id] : [])],
    sort_by: [],
    size: SHOWN,
    include_copies: false,
    count_only: false,
  };
  const { data } = useRead('query.execute', body && { body });
  if (!fields) return null;
  return (
    <>
      {(data?.rows ?? []).map((row) => {
        const address = row[fields.address.id];
        const name = fields.name ? row[fields.name.id] : null;
        return typeof address === 'string' ? (
          <option key={address} value={address}>
            {typeof name === 'string' ? name : undefined}
          </option>
        ) : null;
      })}
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
        : (DOMAINS[type] ?? []).map((domain) => <Options key={domain} domain={domain} text={settled} />)}
    </datalist>
  );
}
