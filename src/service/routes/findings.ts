/** sp_findings/*: weaknesses of the tenant. Evidence has no tenant. */
import type { Handlers } from '../http/context.ts';
import { ServiceError } from '../http/errors.ts';
import { findingLinks, findingsOf, findingWidgets, isWidget } from '../store-sqlite/findings.ts';

const MAX_LINKS = 1_000;
const rowsOf = <T>(rows: T[]) => ({ rows, total_rows: rows.length });

export const findingHandlers = {
  'findings.widgets': (_input, { store }) => rowsOf(findingWidgets(store)),
  'findings.list': ({ query }, { store }) => {
    if (query.widget !== undefined && !isWidget(query.widget))
      throw new ServiceError(404, 'No such widget', 'widget');
    return rowsOf(findingsOf(store, query.widget, query.entity_id));
  },
  'findings.links': ({ query }) => {
    const ids = query.ids.split(',').filter((id) => id !== '');
    if (ids.length > MAX_LINKS) throw new ServiceError(400, `At most ${MAX_LINKS} ids at once`, 'ids');
    return rowsOf(findingLinks(ids));
  },
} satisfies Handlers;
