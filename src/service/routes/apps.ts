import type { Handlers } from '../http/context.ts';
import { statisticsOf } from '../store/statistics.ts';

export const appHandlers = {
  'apps.list': async (_input, { store }) => {
    const rows = await store.stack.apps();
    return { rows, total_rows: rows.length };
  },
  'apps.statistics': ({ query }, context) =>
    statisticsOf(context.store, query.window ?? '24h', context.now(), query.tools ?? false),
} satisfies Handlers;
