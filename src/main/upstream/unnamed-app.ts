/**
 * Profiles of entities whose rows name no app. Their calls have the app in the path, and a service built from the
 * specification may not support `all` there: it may not have the path, or find nothing under it.
 */
import { LRUCache } from 'lru-cache';
import { EVERY_SAAS } from '#shared/api/catalogue/queries.ts';
import { type EndpointName, endpointOf, type Request } from '#shared/api/catalogue.ts';
import { REFUSED } from '#shared/api/numbered-pages.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import { CACHE_TTL_MS } from '#shared/model/constants.ts';
import { isRecord } from '#shared/model/narrow.ts';

type Ask = (endpoint: EndpointName, request: Request<EndpointName>) => Promise<unknown>;

const REMEMBERED = 1_000;
/** Maximum number of apps to try, one after another. */
const MOST_APPS = 12;

export class UnnamedApps {
  /** The app found for each entity, or null if no app has it, or the credential was not allowed to see it. */
  readonly #apps: LRUCache<string, Promise<string | null>>;

  /** `ticks` are monotonic milliseconds. */
  constructor(ticks: () => number = () => performance.now()) {
    this.#apps = new LRUCache({ max: REMEMBERED, perf: { now: ticks }, ttlResolution: 0 });
  }

  /** Whether the app of this call's entity may have to be found. */
  concerns(endpoint: EndpointName, { params }: Request<EndpointName>): boolean {
    const saas = params !== undefined && 'saas' in params ? params.saas : null;
    return saas === EVERY_SAAS && endpointOf(endpoint).path.startsWith('/sql_queries/:saas/');
  }

  async send(
    connectionId: string,
    ask: Ask,
    endpoint: EndpointName,
    request: Request<EndpointName>,
  ): Promise<unknown> {
    const { params, query } = request;
    const id = query !== undefined && 'entity_id' in query ? (query.entity_id ?? '') : '';
    const type = params !== undefined && 'type' in params ? params.type : 'file';
    const kind = endpoint.startsWith('email.') ? 'email' : type;
    const key = `${connectionId} ${id}`;
    const existingApp = this.#apps.get(key);
    if (existingApp === undefined) {
      const first = await ask(endpoint, request).catch((error: unknown) => {
        if (!isNotThere(error)) throw error;
        return { refused: error };
      });
      if (!isRefusal(first) && !isEmptyList(first)) return first;
      const app = await this.#find(key, ask, kind, id);
      if (app === null) {
        if (isRefusal(first)) throw first.refused;
        return first;
      }
      return ask(endpoint, inApp(request, app));
    }
    const app = await existingApp;
    return ask(endpoint, app === null ? request : inApp(request, app));
  }

  /** After the connection became another service or account. */
  forget(connectionId: string): void {
    for (const key of this.#apps.keys()) if (key.startsWith(`${connectionId} `)) this.#apps.delete(key);
  }

  #find(key: string, ask: Ask, kind: string, id: string): Promise<string | null> {
    const existingApp = this.#apps.get(key);
    if (existingApp) return existingApp;
    const foundApp = appOf(ask, kind, id);
    this.#apps.set(key, foundApp);
    foundApp.then(
      // It may be found later, as once a role may see it.
      (app) =>
        app === null &&
        this.#apps.peek(key) === foundApp &&
        this.#apps.set(key, foundApp, { ttl: CACHE_TTL_MS }),
      // After a failure the next call searches again.
      () => this.#apps.delete(key),
    );
    return foundApp;
  }
}

const inApp = (request: Request<EndpointName>, saas: string): Request<EndpointName> =>
  ({ ...request, params: { ...request.params, saas } }) as Request<EndpointName>;

/** An app that answers with another entity does not have this one. */
const isNotThere = (error: unknown): boolean => {
  const { code, data } = toBridgeError(error);
  return REFUSED.has(code) || data?.['answered'] !== undefined;
};
const isRefusal = (value: unknown): value is { refused: unknown } => isRecord(value) && 'refused' in value;
const isEmptyList = (value: unknown): boolean =>
  isRecord(value) && Array.isArray(value['rows']) && value['rows'].length === 0;

/** The app that the entity itself names, or the first one that has its profile. */
async function appOf(ask: Ask, kind: string, id: string): Promise<string | null> {
  const unlessRefused = (error: unknown): null => {
    if (isNotThere(error)) return null;
    throw error;
  };
  const entity = await ask('entity.get', { params: { type: kind, id } } as never).catch(unlessRefused);
  const named = isRecord(entity) ? (entity['saas'] ?? entity['saas_id'] ?? entity['app']) : null;
  if (typeof named === 'string' && named !== '' && named !== EVERY_SAAS) return named;
  const apps = await ask('apps.list', {}).catch(unlessRefused);
  const rows = isRecord(apps) && Array.isArray(apps['rows']) ? apps['rows'].filter(isRecord) : [];
  const profile = kind === 'email' ? 'email.profile' : 'file.profile';
  for (const { name } of rows.filter((app) => app['is_saas'] === true).slice(0, MOST_APPS)) {
    const request = { params: { saas: String(name) }, query: { entity_id: id } };
    if ((await ask(profile, request as never).catch(unlessRefused)) !== null) return String(name);
  }
  return null;
}
