/** Access control of the browser host. Every request and upgrade passes through here first. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 bits, base64url. */
const randomToken = () => randomBytes(32).toString('base64url');

const digest = (text: string) => createHash('sha256').update(text).digest();
/** Constant-time, whatever the length of the input. */
const same = (presented: string, expected: string) => timingSafeEqual(digest(presented), digest(expected));

interface Asked {
  method: string;
  /** The request target of the request line. */
  target: string;
  /** Every Host header of the request. */
  hosts: readonly string[];
  /** Looks up a header by its lower-case name. */
  header(name: string): string | undefined;
  /** Whether it is a WebSocket upgrade; browsers always send an Origin with one. */
  upgrade: boolean;
}

/** Path and query of a request target, which may be in absolute form, or null if it is of another authority. */
export function pathOf(target: string, authority: string): string | null {
  const origin = `http://${authority}`;
  const path =
    target === origin ? '/' : target.startsWith(`${origin}/`) ? target.slice(origin.length) : target;
  return path.startsWith('/') ? path : null;
}

/**
 * Why a request is refused, or null. The Host must be ours, which defeats DNS rebinding; requests from other pages are
 * refused by Origin or Sec-Fetch-Site. Navigating here from anywhere is allowed, since that page still has to
 * authenticate.
 */
export function refusal(request: Asked, authority: string): string | null {
  if (request.hosts.length !== 1 || request.hosts[0] !== authority) return 'wrong Host';
  if (pathOf(request.target, authority) === null) return 'foreign address';
  const origin = request.header('origin');
  if (origin !== undefined && origin !== `http://${authority}`) return 'foreign Origin';
  const read = request.method === 'GET' || request.method === 'HEAD';
  if (origin === undefined && (request.upgrade || !read)) return 'no Origin';
  const site = request.header('sec-fetch-site');
  const foreign = site !== undefined && site !== 'same-origin' && site !== 'none';
  const navigates =
    request.header('sec-fetch-mode') === 'navigate' && request.header('sec-fetch-dest') === 'document';
  return foreign && !(navigates && read) ? 'foreign site' : null;
}

/** A browser opens a link at once, unless the analyst has to log in to the desktop first. */
const LINK_LASTS_MS = 120_000;

export interface Sessions {
  /** Reusable token, part of the address that Parapet prints. */
  token: string;
  /** A one-time token that soon expires. `over` is called when it was used or has expired. */
  link(over: () => void): string;
  /** Exchanges a secret for the one with which the page authenticates from now on, or null if refused. */
  admit(secret: string): string | null;
}

/** The secrets of one run. None of them is ambient: a browser never sends one automatically. */
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
