/** apps/*: the catalogue and its counts. */
import type { Handlers } from '../http/context.ts';
import { statisticsOf } from '../store/statistics.ts';
import { appsOf } from '../store-sqlite/apps.ts';

export const appHandlers = {
  'apps.list': (_input, { store }) => {
    const rows = appsOf(store);
    return { rows, total_rows: rows.length };
  },
  'apps.statistics': ({ query }, context) =>
    statisticsOf(context.store, query.window ?? '24h', context.now(), query.tools ?? false),
} satisfies Handlers;
