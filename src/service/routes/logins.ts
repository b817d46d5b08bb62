/** get_cache_query: locations of sign-ins. */
import type { Handlers } from '../http/context.ts';
import { ServiceError } from '../http/errors.ts';
import { appsOf } from '../store/apps.ts';
import { loginKey, loginPage } from '../store/logins.ts';

export const loginHandlers = {
  'logins.heat-map': ({ query }, { store }) => {
    const app = appsOf(store).find(({ name, is_saas }) => is_saas && name === query.module);
    if (!app) throw new ServiceError(404, 'No such SaaS', 'module');
    if (store.source.tenant?.loginsAnswer(app.name, query.fail) === false)
      throw new ServiceError(500, `The login index of ${app.label} does not answer`, 'module');
    const { fail, page, after, user } = query;
    if (after !== undefined && loginKey(after) === null)
      throw new ServiceError(400, 'No such place in the list', 'after');
    const [since, until] = [query.since, query.until].map((text) =>
      text === undefined ? undefined : Date.parse(text),
    );
    return loginPage(store, app.name, fail === 'unknown' ? null : fail, { page, after, user, since, until });
  },
} satisfies Handlers;
