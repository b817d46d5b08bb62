/** Who may talk to the browser host. Every request and every upgrade passes here first. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 bits, base64url. */
const randomToken = () => randomBytes(32).toString('base64url');

const digest = (text: string) => createHash('sha256').update(text).digest();
/** Takes the same time whatever is given, its length too. */
const same = (given: string, expected: string) => timingSafeEqual(digest(given), digest(expected));

interface Asked {
  method: string;
  /** What stands between the method and the version. */
  target: string;
  /** Every Host that was given. */
  hosts: readonly string[];
  /** A header by its lowercase name. */
  header(name: string): string | undefined;
  /** A websocket upgrade: browsers always say where it comes from. */
  upgrade: boolean;
}

/** Path and query of a request's target, which may be our address in full; null: another address. */
export function pathOf(target: string, authority: string): string | null {
  const own = `http://${authority}`;
  const path = target === own ? '/' : target.startsWith(`${own}/`) ? target.slice(own.length) : target;
  return path.startsWith('/') ? path : null;
}

/**
 * Why a request is refused, or null. The Host must be ours, which stops a name rebound to this machine; a request
 * of another page is refused by its Origin, or by what the browser says of its site. Opening the address from
 * anywhere is fine: that page has proved nothing yet.
 */
export function refusal(asked: Asked, authority: string): string | null {
  if (asked.hosts.length !== 1 || asked.hosts[0] !== authority) return 'wrong Host';
  if (pathOf(asked.target, authority) === null) return 'foreign address';
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

/** A browser that was asked to open a link does so at once, or the analyst has to log in to the desktop first. */
const LINK_LASTS_MS = 120_000;

export interface Sessions {
  /** Opens the console as often as it is used: it is in the address that Parapet prints. */
  token: string;
  /** A token that opens the console once, soon. `over` is called when it was used, or came too late. */
  link(over: () => void): string;
  /** What a page that brought this secret proves itself with from now on; null: refused. */
  admit(secret: string): string | null;
}

/** The secrets of one run. None is ambient: a browser sends none of them by itself. */
export function createSessions(): Sessions {
  const token = randomToken();
  const session = randomToken();
  const links = new Map<string, () => void>();
  return {
    token,
    link(over) {
      const link = randomToken();
      const end = () => {
        clearTimeout(timer);
        if (links.delete(link)) over();
      };
      const timer = setTimeout(end, LINK_LASTS_MS).unref();
      links.set(link, end);
      return link;
    },
    admit(secret) {
      const used = [...links].find(([link]) => same(secret, link));
      used?.[1]();
      const lasting = [same(secret, token), same(secret, session)];
      return used !== undefined || lasting.includes(true) ? session : null;
    },
  };
}
