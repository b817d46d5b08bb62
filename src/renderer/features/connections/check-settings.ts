import type { ConnectionSettings } from '#shared/bridge/operations.ts';
import { authServersProblem } from '#shared/model/auth-servers.ts';
import { isZone } from '#shared/model/clock.ts';
import { sameOrigin } from '#shared/model/hosts.ts';

/** Why an address cannot be used, in words; null when it can. Main checks the same again. */
export function urlProblem(url: string | null): string | null {
  if (!url || url === 'https://') return 'Enter an address.';
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return 'This is not a valid address.';
  }
  const loopback = ['localhost', '127.0.0.1', '[::1]'].includes(parsed.hostname);
  if (parsed.protocol !== 'https:' && !(parsed.protocol === 'http:' && loopback)) {
    return 'The address must start with https://.';
  }
  return parsed.username || parsed.password
    ? 'Enter the credential in its own field, not in the address.'
    : null;
}

/** Whether main treats two addresses as the same: it removes `/api/v1` and trailing slashes. */
export function sameAddress(a: string | null, b: string | null): boolean {
  const plain = (url: string | null) => {
    const parsed = URL.parse(url ?? '');
    const path = parsed?.pathname
      .replace(/\/+$/, '')
      .replace(/\/api\/v1$/, '')
      .replace(/\/+$/, '');
    return parsed === null ? url : `${parsed.origin}${path}`;
  };
  return plain(a) === plain(b);
}

/**
 * Why a connection cannot be saved without a new credential, in words, or null if it can. Main never sends a saved
 * credential to another origin than it was saved for.
 */
export function missingCredential(
  connection: { url: string | null; hasCredential: boolean } | null,
  url: string | null,
  credential: string,
): string | null {
  if (connection === null || !connection.hasCredential || credential.trim() !== '') return null;
  return sameOrigin(connection.url, url)
    ? null
    : 'Enter the credential for the new address; the saved one is never sent to another server.';
}

/** Why the settings cannot be saved, or null if they can. */
export function settingsProblem(settings: ConnectionSettings): string | null {
  if (settings.name.trim() === '') return 'Enter a name.';
  if (settings.product.trim() === '') return 'Enter a product ID.';
  if (settings.timezone !== null && !isZone(settings.timezone)) return 'Unknown time zone.';
  const distrust = authServersProblem(settings.authServers);
  if (distrust !== null) return distrust;
  return settings.kind === 'tenant' ? urlProblem(settings.url) : null;
}
