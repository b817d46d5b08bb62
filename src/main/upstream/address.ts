/** Service addresses as analysts type them, and which are safe to send to. */
import { isIP } from 'node:net';
import { ParapetError } from '#shared/bridge/errors.ts';

const bad = (message: string) => new ParapetError('invalid-input', message, { data: { field: 'url' } });

export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'));

/**
 * The base URL before `/api/v1`, without a trailing slash. Accepts the address with or without `/api/v1`. Rejects
 * `invalid-input`: not a URL, another scheme, http beyond loopback, a user name, a query or a fragment.
 */
export function serviceBase(text: string): string {
  const typed = text.trim();
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `https://${typed}`);
  if (url === null || url.hostname === '')
    throw bad('That is not a web address. Write it like https://service.example.');
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw bad('A service is reached over https. Write its address like https://service.example.');
  if (url.username !== '' || url.password !== '')
    throw bad('The address must not contain a user name or password. Put the credential in its own field.');
  if (url.search !== '' || url.hash !== '') throw bad('The address must not contain a query or a fragment.');
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw bad(
      'Plain http would show the credential to the network. Use https; http works on this machine only.',
    );
  const path = url.pathname
    .replace(/\/+$/, '')
    .replace(/\/api\/v1$/, '')
    .replace(/\/+$/, '');
  return `${url.origin}${path}`;
}
