/** Finds the call of a request, by the catalogue's own patterns. */
import { BASE_PATH, type EndpointName, endpointNames, endpointOf } from '#shared/api/catalogue.ts';
import { patternOf } from '#shared/api/path.ts';
import { partsOfLink, type SignedLink } from '../store/signed-link.ts';

interface Route {
  name: EndpointName;
  method: string;
  effect: 'read' | 'write';
  pattern: RegExp;
  keys: string[];
  /** Characters of the path that are not parameters: longer ones are tried first. */
  literal: number;
}

/** The calls, longest path first; signed links are not among them. */
export const routes: readonly Route[] = endpointNames
  // The path of a signed link is opaque and would match anything, so it is recognised by its form (partsOfLink).
  .filter((name) => endpointOf(name).secretPath !== true)
  .map((name) => {
    const { method, path, effect } = endpointOf(name);
    return { name, method, effect, ...patternOf(name), literal: path.replace(/:[a-z]+/g, '').length };
  })
  .sort((a, b) => b.literal - a.literal);

export type Match =
  | { kind: 'call'; name: EndpointName; params: Record<string, string> }
  | { kind: 'method'; allow: string[] }
  | { kind: 'malformed' }
  | { kind: 'none' };

/** `path` as in the URL, percent-encoded. */
export function match(method: string, path: string): Match {
  if (path !== BASE_PATH && !path.startsWith(`${BASE_PATH}/`)) return { kind: 'none' };
  const below = path.slice(BASE_PATH.length);
  const link = method === 'GET' ? partsOfLink(below) : null;
  if (link) return linkMatch(link);
  const allow = new Set<string>();
  for (const route of routes) {
    const match = route.pattern.exec(below);
    if (!match) continue;
    if (route.method !== method) {
      allow.add(route.method);
      continue;
    }
    const params: Record<string, string> = {};
    try {
      for (const [index, key] of route.keys.entries())
        params[key] = decodeURIComponent(match[index + 1] ?? '');
    } catch {
      return { kind: 'malformed' };
    }
    return { kind: 'call', name: route.name, params };
  }
  return allow.size > 0 ? { kind: 'method', allow: [...allow].sort() } : { kind: 'none' };
}

function linkMatch({ hash, token, id }: SignedLink): Match {
  try {
    return { kind: 'call', name: 'entity.signed-link', params: { hash, token, id: decodeURIComponent(id) } };
  } catch {
    return { kind: 'malformed' };
  }
}
