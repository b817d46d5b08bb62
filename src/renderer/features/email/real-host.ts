/**
 * Where a link really goes: the host a browser would ask, in ASCII lower case, whatever user names, slashes,
 * controls or look-alike characters stand before it. null: it goes to no host (mailto:, data:, broken).
 */
export function realHost(url: string): string | null {
  if (url.length > 65_536 || !URL.canParse(url)) return null;
  const { protocol, hostname } = new URL(url);
  if (!/^(?:https?|ftp|wss?):$/.test(protocol)) return null;
  return hostname === '' ? null : hostname.toLowerCase();
}
