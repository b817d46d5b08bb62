/** The emails that a tool flagged lately, as a query in the service's own fields. */

import { blankQuery } from '#renderer/state/drafts.ts';
import { emailConfig } from '#renderer/state/entity-actions.ts';
import type { NewQuery, QueryConfig } from '#shared/model/entities.ts';
import type { Condition } from '#shared/query/tree.ts';

/** What a tool says of mail that it let pass without a word. */
const QUIET = new Set(['clean', 'not-scanned', 'hidden']);
const DAYS = 7;

/** The condition that asks for a tool's verdicts: a field whose allowed values are `tool:verdict`. */
export function flaggedBy(config: QueryConfig, tool: string): Condition | null {
  const prefix = `${tool}:`;
  for (const field of config.fields) {
    const values = (field.allowedValues ?? [])
      .map(({ value }) => String(value))
      .filter((value) => value.startsWith(prefix) && !QUIET.has(value.slice(prefix.length)));
    const operator = ['contains_any', 'in_list'].find((id) => field.operators.includes(id));
    if (values.length > 0 && operator) return { field: field.id, operator, values };
  }
  return null;
}

function lately(config: QueryConfig): Condition | null {
  const field = config.fields.find(
    ({ type, operators }) => type === 'date' && operators.includes('in_the_last'),
  );
  return field ? { field: field.id, operator: 'in_the_last', values: [DAYS, 'days'] } : null;
}

/** Rejects when this service's queries know nothing of its tools. */
export async function flaggedQuery(tool: string, label: string): Promise<NewQuery> {
  const config = await emailConfig();
  const flagged = flaggedBy(config, tool);
  if (!flagged) throw new Error('The queries of this service have no field for what a tool says.');
  const time = lately(config);
  return {
    ...blankQuery(),
    name: `Flagged by ${label}, last ${DAYS} days`,
    filter: { operator: 'and', conditions: time ? [time, flagged] : [flagged] },
  };
}
