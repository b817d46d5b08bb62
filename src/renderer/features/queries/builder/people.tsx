/** Users and groups of the service by their addresses: the names behind the values of a condition. */

import { type JSX, useMemo } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { rowsPayload } from '#renderer/state/rows-payload.ts';
import { useSettled } from '#renderer/ui/use-settled.ts';
import type { ExecutePayload } from '#shared/api/catalogue/queries.ts';
import { dictionary } from '#shared/dictionary.ts';
import type { FieldConfig, QueryConfig, Row } from '#shared/model/entities.ts';
import { commonDomains } from '#shared/model/indicators.ts';
import type { Condition, ConditionValue } from '#shared/query/tree.ts';
import { useQueryConfig } from '../use-config.ts';

const USERS_ASKED = 100;
const NONE: ReadonlySet<string> = new Set();

/** Reads a page of users from the cache; if there is none, no domain counts as our own. */
export function useOwnDomains(): ReadonlySet<string> {
  const { data: config } = useQueryConfig('user', null);
  const fields = config ? personFields(config) : null;
  const address = fields?.address ?? null;
  const request = useMemo(
    () => address && { body: peopleQuery('user', { address, name: null }, [], USERS_ASKED) },
    [address],
  );
  const { data } = useRead('query.execute', request);
  return useMemo(
    () =>
      data && address
        ? commonDomains(peopleOf(data.rows, { address, name: null }).map(([address]) => address))
        : NONE,
    [data, address],
  );
}

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
  const debounced = useSettled(text.trim(), DEBOUNCE_MS);
  return (
    <datalist id={id}>
      {debounced.length < 2
        ? null
        : peopleDomains(type).map((domain) => <Options key={domain} domain={domain} text={debounced} />)}
    </datalist>
  );
}

/** Query domains that resolve the values of a field type to people. */
const DOMAINS: Readonly<Record<string, readonly string[]>> = dictionary({
  user: ['user'],
  group: ['group'],
  email: ['user', 'group'],
});
const DEBOUNCE_MS = 250;
/** Names are looked up for at most this many values; longer lists show a count instead of chips. */
const MOST = 60;

const peopleDomains = (type: string | undefined): readonly string[] => DOMAINS[type ?? ''] ?? [];
export const suggestsPeople = (field: FieldConfig | undefined): boolean =>
  peopleDomains(field?.type).length > 0;

interface PersonFields {
  address: FieldConfig;
  name: FieldConfig | null;
}

/** The fields with an entity's address and name, found by the config's types. */
export function personFields(config: QueryConfig): PersonFields | null {
  const address = config.fields.find(
    ({ type, operators }) => type === 'email' && operators.includes('contains_text'),
  );
  if (!address) return null;
  const shown = config.columns.map(({ id }) => id);
  const name = config.fields.find(({ id, type }) => type === 'text' && shown.includes(id));
  return { address, name: name ?? null };
}

/** Asks a domain for the addresses and names of its entities. */
export const peopleQuery = (
  domain: string,
  { address, name }: PersonFields,
  conditions: Condition[],
  size: number,
): ExecutePayload =>
  rowsPayload(domain, { operator: 'or', conditions }, size, [address.id, ...(name ? [name.id] : [])]);

export const peopleOf = (rows: readonly Row[], { address, name }: PersonFields): [string, string | null][] =>
  rows.flatMap((row) => {
    const value = row[address.id];
    const named = name ? row[name.id] : null;
    return typeof value === 'string' ? [[value, typeof named === 'string' ? named : null]] : [];
  });

function useNamesIn(domain: string | null, lookedUp: readonly string[]): [string, string | null][] {
  const { data: config } = useQueryConfig(lookedUp.length > 0 ? domain : null, null);
  const fields = config ? personFields(config) : null;
  const canAsk = fields?.name?.id !== undefined && fields.address.operators.includes('is');
  const body =
    domain !== null && fields !== null && canAsk && lookedUp.length > 0
      ? peopleQuery(
          domain,
          fields,
          lookedUp.map((value) => ({ field: fields.address.id, operator: 'is', values: [value] })),
          lookedUp.length,
        )
      : null;
  const { data } = useRead('query.execute', body && { body });
  return fields && data ? peopleOf(data.rows, fields) : [];
}

/** Names by address in lower case, of those values that are users or groups of the service. */
export function useNames(
  field: FieldConfig | undefined,
  values: readonly (ConditionValue | undefined)[],
): ReadonlyMap<string, string> {
  const [first = null, second = null] = peopleDomains(field?.type);
  const addresses = values.filter((value) => typeof value === 'string' && value.indexOf('@') > 0);
  const debounced = useSettled(first === null ? '' : addresses.slice(0, MOST).join('\n'), DEBOUNCE_MS);
  const lookedUp = useMemo(() => (debounced === '' ? [] : debounced.split('\n')), [debounced]);
  const names = [...useNamesIn(second, lookedUp), ...useNamesIn(first, lookedUp)];
  return new Map(names.flatMap(([address, name]) => (name === null ? [] : [[address.toLowerCase(), name]])));
}
