/** The activity of a user or a group as queries over other domains. Pure. */
import type { NewQuery, QueryConfig } from '#shared/model/entities.ts';
import type { Condition, ConditionGroup } from '#shared/query/tree.ts';

export type ListKind = 'received' | 'sent' | 'clicks' | 'files';

interface List {
  domain: string;
  /** Possible names of the address field, best first. */
  fields: readonly string[];
  /** At least one of these must also match: a file without other readers is not shared. */
  any?: readonly string[];
  name: (who: string) => string;
}

export const LISTS: Readonly<Record<ListKind, List>> = {
  received: {
    domain: 'email',
    fields: ['recipients', 'to', 'to_email'],
    name: (who) => `Emails to ${who}`,
  },
  sent: {
    domain: 'email',
    fields: ['from_email', 'sender_email', 'from'],
    name: (who) => `Emails from ${who}`,
  },
  clicks: { domain: 'click', fields: ['user', 'user_email'], name: (who) => `Clicks by ${who}` },
  files: {
    domain: 'file',
    fields: ['owner', 'owner_email'],
    any: ['is_shared_externally', 'is_shared_publicly'],
    name: (who) => `Files shared by ${who}`,
  },
};

const ONE_OF = ['is', 'in_list', 'contains_any', 'contains_all'];

/** Null if the service has no field or operator for it. */
export function listQuery(kind: ListKind, email: string, config: QueryConfig): NewQuery | null {
  const { domain, fields, any, name } = LISTS[kind];
  const field = fields
    .map((id) => config.fields.find((field) => field.id === id))
    .find((field) => field !== undefined && ONE_OF.some((id) => field.operators.includes(id)));
  const operator = ONE_OF.find((id) => field?.operators.includes(id));
  if (!field || operator === undefined) return null;
  const shared = (any ?? []).filter((id) =>
    config.fields.some((field) => field.id === id && field.operators.includes('is_true')),
  );
  const conditions: (Condition | ConditionGroup)[] = [{ field: field.id, operator, values: [email] }];
  if (shared.length > 0)
    conditions.push({
      operator: 'or',
      conditions: shared.map((id) => ({ field: id, operator: 'is_true', values: [] })),
    });
  return {
    type: 'query',
    domain,
    entityType: domain,
    name: name(email),
    saas: null,
    columns: [],
    sort: config.sort ?? [],
    filter: { operator: 'and', conditions },
  };
}
