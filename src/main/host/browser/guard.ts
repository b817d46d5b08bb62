/** Who may talk to the browser host. Every request and every upgrade passes here first. */
import { randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 bits, base64url. */
export const randomToken = () => randomBytes(32).toString('base64url');

const same = (given: string, expected: string) => {
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
};

interface Asked {
  method: string;
  /** A header by its lowercase name. */
  header(name: string): string | undefined;
  /** A websocket upgrade: browsers always say where it comes from. */
  upgrade: boolean;
}

/**
 * Why a request is refused, or null. The Host must be ours, which stops a name rebound to this machine; a request
 * of another page is refused by its Origin, or by what the browser says of its site. Opening the address from
 * anywhere is fine: that page has no session yet.
 */
export function refusal(asked: Asked, authority: string): string | null {
  if (asked.header('host') !== authority) return 'wrong Host';
  const origin = asked.header('origin');
  if (origin !== undefined && origin !== `http://${authority}`) return 'foreign Origin';
  const read = asked.method === 'GET' || asked.method === 'HEAD';
  if (origin === undefined && (asked.upgrade || !read)) return 'no Origin';
  const site = asked.header('sec-fetch-site');
  const foreign = site !== undefined && site !== 'same-origin' && site !== 'none';
  const navigates =
    asked.header('sec-fetch-mode') === 'navigate' && asked.header('sec-fetch-dest') === 'document';
  return foreign && !(navigates && read) ? 'foreign site' : null;
}

export interface Sessions {
  /** Exchanges the token of the printed address for the value of a Set-Cookie header; null: wrong token. */
  exchange(token: string): string | null;
  /** Whether a Cookie header carries a session of this run. */
  holds(cookies: string | undefined): boolean;
}

/** Sessions of one run. The port is part of the cookie's name: browsers share cookies between ports. */
export function createSessions(token: string, port: number): Sessions {
  const name = `parapet-${port}`;
  const session = randomToken();
  return {
    exchange: (given) =>
      same(given, token) ? `${name}=${session}; Path=/; HttpOnly; SameSite=Strict` : null,
    holds: (cookies) =>
      (cookies ?? '')
        .split(';')
        .map((pair) => pair.trim())
        .some((pair) => pair.startsWith(`${name}=`) && same(pair.slice(name.length + 1), session)),
  };
}
