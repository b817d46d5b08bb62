/** Queries for similar emails contain the exact value, and only the hosts that the service counts. */
import { expect, it } from 'vitest';
import { exactConditionFor } from '#renderer/state/entity-actions.ts';
import type { EmailProfile, QueryConfig } from '#shared/model/entities.ts';
import { operatorsForType, STANDARD_OPERATORS } from '#shared/query/operators.ts';
import { likenesses } from './similar.ts';

const CONFIG: Pick<QueryConfig, 'fields' | 'operators'> = {
  fields: (
    [
      ['subject', 'text', false],
      ['from_email', 'email', false],
      ['link_domains', 'domain', true],
    ] as const
  ).map(([id, type, multiValues]) => ({
    id,
    dbId: id,
    label: id,
    type,
    multiValues,
    operators: operatorsForType(type, multiValues),
  })),
  operators: [...STANDARD_OPERATORS],
};

const PROFILE = {
  subject: 'Invoice overdue',
  from: { name: null, email: 'billing@supplier.example' },
  to: [{ name: null, email: 'ana@corp.example' }],
  cc: [{ name: null, email: 'bo@PARTNER.example' }],
  bcc: null,
  client_ip: null,
  links: ['corp.example', 'partner.example', 'bad.example', 'bad.example'].map((host) => ({
    url: `https://${host}/`,
    host,
  })),
} as unknown as EmailProfile;

it('queries for the whole subject, and for link hosts without the recipients’ own domains', () => {
  const all = Object.fromEntries(
    likenesses(PROFILE).map(({ id, entities }) => [
      id,
      entities.map((entity) => exactConditionFor(CONFIG as QueryConfig, entity)),
    ]),
  );
  expect(all['subject']).toEqual([{ field: 'subject', operator: 'is', values: ['Invoice overdue'] }]);
  expect(all['link']).toEqual([{ field: 'link_domains', operator: 'is', values: ['bad.example'] }]);
});
