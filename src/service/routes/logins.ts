/** get_cache_query: locations of sign-ins. */
import type { Handlers } from '../http/context.ts';
import { ServiceError } from '../http/errors.ts';
import { loginKey } from '../store/logins.ts';
import type { Store } from '../store/store.ts';

/** The name of the SaaS whose logins are asked for. */
async function saasOf(store: Store, module: string, fail: boolean | 'unknown'): Promise<string> {
  const apps = await store.stack.apps();
  const app = apps.find(({ name, is_saas }) => is_saas && name === module);
  if (!app) throw new ServiceError(404, 'No such SaaS', 'module');
  if (store.source.tenant?.loginsAnswer(app.name, fail) === false)
    throw new ServiceError(500, `The login index of ${app.label} does not answer`, 'module');
  return app.name;
}

const outcomeOf = (fail: boolean | 'unknown'): boolean | null => (fail === 'unknown' ? null : fail);

export const loginHandlers = {
  'logins.heat-map': async ({ query }, { store }) => {
    const saas = await saasOf(store, query.module, query.fail);
    const { fail, page, after, user } = query;
    if (after !== undefined && loginKey(after) === null)
      throw new ServiceError(400, 'No such place in the list', 'after');
    const [since, until] = [query.since, query.until].map((text) =>
      text === undefined ? undefined : Date.parse(text),
    );
    const logins = await store.logins.page(saas, outcomeOf(fail), { page, after, user, since, until });
    return after === undefined ? { ...logins, finds_users: true } : logins;
  },
  'logins.users': async ({ body: { module, fail, ...match } }, { store }) => ({
    users: await store.logins.users(await saasOf(store, module, fail), outcomeOf(fail), match),
  }),
  'logins.places': async ({ query: { module, id, user, time } }, { store }) => {
    const saas = await saasOf(store, module, false);
    const instant = time === undefined ? undefined : Date.parse(time);
    const places = await store.logins.places(saas, { id, user, time: instant });
    if (places === null)
      throw new ServiceError(404, 'This sign-in is no longer listed: its log was read again', 'id');
    return places;
  },
} satisfies Handlers;
