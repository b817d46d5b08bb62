/** get_cache_query: locations of sign-ins. */
import type { Handlers } from '../http/context.ts';
import { ServiceError } from '../http/errors.ts';
import { appsOf } from '../store/apps.ts';
import { loginPage } from '../store/logins.ts';

export const loginHandlers = {
  'logins.heat-map': ({ query }, { store }) => {
    const app = appsOf(store).find(({ name, is_saas }) => is_saas && name === query.module);
    if (!app) throw new ServiceError(404, 'No such SaaS', 'module');
    if (store.source.tenant?.loginsAnswer(app.name, query.fail) === false)
      throw new ServiceError(500, `The login index of ${app.label} does not answer`, 'module');
    return loginPage(store, app.name, query.fail === 'unknown' ? null : query.fail, query.page ?? 0);
  },
} satisfies Handlers;
