import { EVERY_SAAS, type ExecutePayload } from '#shared/api/catalogue/queries.ts';

/** The first `size` rows of a domain in every app, and how many there are; with 0 only the number. */
export const rowsPayload = (
  domain: string,
  condition: ExecutePayload['condition'],
  size: number,
  columns: readonly string[] = [],
): ExecutePayload => ({
  query_domain: domain,
  saas_id: EVERY_SAAS,
  query_entity_type: domain,
  condition,
  columns: [...columns],
  sort_by: [],
  size,
  include_copies: false,
  count_only: size === 0,
});
