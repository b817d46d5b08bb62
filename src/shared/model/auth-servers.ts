/** Names of the servers whose Authentication-Results an analyst trusts (authserv-ids, RFC 8601 section 2.5). */

export const MAX_AUTH_SERVERS = 50;
const MAX_NAME = 255;
/** A host name, or a single word that some servers use instead. */
const NAME = /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/;

/** The form for comparing and storing: lower case, no trailing dot, distinct, sorted. */
export const authServersOf = (names: readonly string[]): string[] => [
  ...new Set(names.map((name) => name.trim().toLowerCase().replace(/\.$/, '')).filter((name) => name !== '')),
];

/** Why the names cannot be saved, in words; null when they can. */
export function authServersProblem(names: readonly string[]): string | null {
  const servers = authServersOf(names);
  if (servers.length > MAX_AUTH_SERVERS)
    return `At most ${MAX_AUTH_SERVERS} servers can be named; these are ${servers.length}.`;
  const wrong = servers.find((name) => name.length > MAX_NAME || !NAME.test(name));
  return wrong === undefined
    ? null
    : `“${wrong.slice(0, 60)}” is not the name of a server. Enter one name a line, as it stands first in Authentication-Results, e.g. mx.example.com.`;
}
