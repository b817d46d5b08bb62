/** The proxies of this machine: from environment variables, otherwise from the system's settings. */
import { BlockList, isIP } from 'node:net';
import { asciiDomain } from '#shared/model/hosts.ts';
import type { HttpProxy, Routes } from '../kernel/ports.ts';

/** In order of lookup, lower-case names first. Services are always reached over https. */
const VARIABLES = ['https_proxy', 'all_proxy', 'http_proxy'] as const;
const DIRECT: Routes = [null];
/** How long a result of the system is cached: a proxy script may be slow, and every call needs the result. */
const FRESH_MS = 10_000;

/** The first value that is not empty, with the name of its variable. */
function variable(env: NodeJS.ProcessEnv, lower: string): { name: string; value: string } | null {
  for (const name of [lower, lower.toUpperCase()]) {
    const value = env[name]?.trim() ?? '';
    if (value !== '') return { name, value };
  }
  return null;
}

const withoutBrackets = (host: string) => host.replace(/^\[|\]$/g, '');

/** `%40` as `@`; a value that is not encoded is used as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function proxyOf(value: string, name: string): HttpProxy {
  // A user of a Windows domain (`DOM\user`): a URL takes a backslash for a slash.
  const address = value.replaceAll('\\', '%5C');
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`);
  const kind = url?.protocol === 'http:' ? 'http' : url?.protocol === 'https:' ? 'https' : 'unsupported';
  if (url === null || url.hostname === '' || kind === 'unsupported')
    return { kind: 'unsupported', name: '', host: '', port: 0, variable: name, authorization: null };
  const port = url.port === '' ? (kind === 'http' ? 80 : 443) : Number(url.port);
  const account = `${decoded(url.username)}:${decoded(url.password)}`;
  return {
    kind,
    name: `${url.hostname}:${port}`,
    host: withoutBrackets(url.hostname),
    port,
    variable: name,
    authorization: account === ':' ? null : `Basic ${Buffer.from(account).toString('base64')}`,
  };
}

/** Whether an entry of NO_PROXY names a host: itself, a domain above it, an address or a network, with or without a port. */
function covers(entry: string, host: string, port: number): boolean {
  if (entry === '*') return true;
  const network = /^\[?([0-9a-f.:]+)\]?\/(\d{1,3})$/i.exec(entry);
  if (network !== null) {
    const [, address = '', prefix = ''] = network;
    const family = isIP(address);
    if (family === 0 || isIP(host) !== family || Number(prefix) > (family === 4 ? 32 : 128)) return false;
    const list = new BlockList();
    list.addSubnet(address, Number(prefix), family === 4 ? 'ipv4' : 'ipv6');
    return list.check(host, family === 4 ? 'ipv4' : 'ipv6');
  }
  const [, name = '', only] = /^(\[[^\]]+\]|[^:]+|.*:.*:.*?)(?::(\d+))?$/.exec(entry) ?? [];
  if (only !== undefined && Number(only) !== port) return false;
  const named = withoutBrackets(name)
    .replace(/^\*?\./, '')
    .replace(/\.$/, '');
  // An address of a URL is in ASCII; an entry may be as people write it.
  const domain = /[^ -~]/.test(named) ? asciiDomain(named) : named;
  return domain !== '' && (host === domain || (isIP(host) === 0 && host.endsWith(`.${domain}`)));
}

/** The routes from environment variables, or null if there are none, so the system's settings apply. */
function fromEnvironment(env: NodeJS.ProcessEnv, url: URL): Routes | null {
  const foundValue = VARIABLES.map((name) => variable(env, name)).find((value) => value !== null) ?? null;
  if (foundValue === null) return null;
  const host = withoutBrackets(url.hostname).toLowerCase().replace(/\.$/, '');
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  const exceptions = (variable(env, 'no_proxy')?.value ?? '')
    .toLowerCase()
    .split(/[,\s]+/)
    .filter(Boolean);
  return exceptions.some((entry) => covers(entry, host, port))
    ? DIRECT
    : [proxyOf(foundValue.value, foundValue.name)];
}

/** Parses the result of a proxy script: `PROXY one:8080; HTTPS two:443; DIRECT`. Other kinds are unsupported. */
function routesOf(answer: string): Routes {
  const routes = answer.split(';').flatMap((part): (HttpProxy | null)[] => {
    const [word = '', address = ''] = part.trim().split(/\s+/);
    const type = word.toUpperCase();
    if (type === 'DIRECT') return [null];
    const kind = type === 'PROXY' || type === 'HTTP' ? 'http' : type === 'HTTPS' ? 'https' : 'unsupported';
    const url = URL.parse(`${kind === 'https' ? 'https' : 'http'}://${address}`);
    if (address === '' || url === null) return [];
    const port = url.port === '' ? (kind === 'https' ? 443 : 80) : Number(url.port);
    const name = `${url.hostname}:${port}`;
    return [{ kind, name, host: withoutBrackets(url.hostname), port, variable: null, authorization: null }];
  });
  return routes.length === 0 ? DIRECT : routes;
}

/** `system` returns the result of a proxy script for an address. If omitted, only environment variables count. */
export function createRoutes(
  env: NodeJS.ProcessEnv,
  system?: (url: string) => Promise<string>,
): (url: URL) => Promise<Routes> {
  const cache = new Map<string, { routes: Routes; until: number }>();
  return async (url) => {
    const named = fromEnvironment(env, url);
    if (named !== null || system === undefined) return named ?? DIRECT;
    const fresh = cache.get(url.origin);
    if (fresh !== undefined && performance.now() < fresh.until) return fresh.routes;
    const routes = routesOf(await system(`${url.origin}/`).catch(() => 'DIRECT'));
    cache.set(url.origin, { routes, until: performance.now() + FRESH_MS });
    return routes;
  };
}
