/** sp_findings/*: weaknesses of the tenant. Evidence has no tenant. */
import type { Handlers } from '../http/context.ts';
import { ServiceError } from '../http/errors.ts';

const MAX_LINKS = 1_000;
const rowsOf = <T>(rows: T[]) => ({ rows, total_rows: rows.length });

export const findingHandlers = {
  'findings.widgets': async (_input, { store }) => rowsOf(await store.findings.widgets()),
  'findings.list': async ({ query }, { store }) => {
    const rows = await store.findings.list(query.widget, query.entity_id);
    if (rows === null) throw new ServiceError(404, 'No such widget', 'widget');
    return rowsOf(rows);
  },
  'findings.links': async ({ query }, { store }) => {
    const ids = query.ids.split(',').filter((id) => id !== '');
    if (ids.length > MAX_LINKS) throw new ServiceError(400, `At most ${MAX_LINKS} ids at once`, 'ids');
    return rowsOf(await store.findings.links(ids));
  },
} satisfies Handlers;
