/** Paths of calls: from declaration and values to a URL path, and to a pattern for routers. */
import { BASE_PATH, type EndpointName, endpointOf } from './catalogue.ts';

const SEGMENT = /:([a-z]+)/g;

/**
 * The path of a call below the service's origin, including `/api/v1`, with values percent-encoded. The signed link
 * keeps `hash` as it is (it has slashes of its own; product.md section 1). Throws for a missing value.
 */
export function pathOf(name: EndpointName, params: Record<string, unknown>): string {
  const { path } = endpointOf(name);
  const filled = path.replace(SEGMENT, (_, key: string) => {
    const value = params[key];
    if (typeof value !== 'string' && typeof value !== 'number')
      throw new TypeError(`${name} needs the parameter ${key}`);
    const text = String(value);
    // A dot segment would climb out of the path when the URL is normalised.
    if (text === '.' || text === '..' || text === '')
      throw new TypeError(`${name}: ${key} cannot be ${JSON.stringify(text)}`);
    return name === 'entity.signed-link' && key === 'hash' ? text : encodeURIComponent(text);
  });
  return `${BASE_PATH}${filled.startsWith('/') ? '' : '/'}${filled}`;
}

/** The query string of a call: keys in alphabetical order, booleans as true/false, undefined omitted. */
export function searchOf(query: Record<string, unknown>): string {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== null)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(String(value))}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** A regular expression for a request path (without `/api/v1`), and the names of its groups in order. */
export function patternOf(name: EndpointName): { pattern: RegExp; keys: string[] } {
  const { path } = endpointOf(name);
  const keys: string[] = [];
  const escaped = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(SEGMENT, (_, key: string) => {
    keys.push(key);
    return '([^/]+?)';
  });
  return { pattern: new RegExp(`^${escaped.replaceAll('//', '//?')}$`), keys };
}
