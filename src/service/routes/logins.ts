/** get_cache_query: locations of sign-ins. */
import type { Handlers } from '../http/context.ts';
import { ServiceError } from '../http/errors.ts';
import { loginKey } from '../store/logins.ts';
import { appsOf } from '../store-sqlite/apps.ts';
import { loginPage, loginPlaces, loginUsers } from '../store-sqlite/logins.ts';
import type { Store } from '../store-sqlite/store.ts';

/** The name of the SaaS whose logins are asked for. */
function saasOf(store: Store, module: string, fail: boolean | 'unknown'): string {
  const app = appsOf(store).find(({ name, is_saas }) => is_saas && name === module);
  if (!app) throw new ServiceError(404, 'No such SaaS', 'module');
  if (store.source.tenant?.loginsAnswer(app.name, fail) === false)
    throw new ServiceError(500, `The login index of ${app.label} does not answer`, 'module');
  return app.name;
}

const outcomeOf = (fail: boolean | 'unknown'): boolean | null => (fail === 'unknown' ? null : fail);

export const loginHandlers = {
  'logins.heat-map': ({ query }, { store }) => {
    const saas = saasOf(store, query.module, query.fail);
    const { fail, page, after, user } = query;
    if (after !== undefined && loginKey(after) === null)
      throw new ServiceError(400, 'No such place in the list', 'after');
    const [since, until] = [query.since, query.until].map((text) =>
      text === undefined ? undefined : Date.parse(text),
    );
    const logins = loginPage(store, saas, outcomeOf(fail), { page, after, user, since, until });
    return after === undefined ? { ...logins, finds_users: true } : logins;
  },
  'logins.users': ({ body: { module, fail, ...match } }, { store }) => ({
    users: loginUsers(store, saasOf(store, module, fail), outcomeOf(fail), match),
  }),
  'logins.places': ({ query: { module, id, user, time } }, { store }) => {
    const saas = saasOf(store, module, false);
    const instant = time === undefined ? undefined : Date.parse(time);
    const places = loginPlaces(store, saas, { id, user, time: instant });
    if (places === null)
      throw new ServiceError(404, 'This sign-in is no longer listed: its log was read again', 'id');
    return places;
  },
} satisfies Handlers;
