const OCTET = /^(?:0|[1-9]\d{0,2})$/;
const HEXTET = /^[0-9a-f]{1,4}$/i;

/** An IPv4 address in four decimal parts without leading zeros. */
export function isIpv4(text: string): boolean {
  if (text.length > 15) return false;
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => OCTET.test(part) && Number(part) <= 255);
}

/** An IPv6 address (RFC 4291), with or without an IPv4 tail; no zone, no prefix length, no brackets. */
export function isIpv6(text: string): boolean {
  if (text.length < 2 || text.length > 45 || !text.includes(':')) return false;
  const halves = text.split('::');
  if (halves.length > 2) return false;
  let hextets = 0;
  for (const [at, half] of halves.entries()) {
    if (half === '') continue;
    const parts = half.split(':');
    for (const [index, part] of parts.entries()) {
      const last = at === halves.length - 1 && index === parts.length - 1;
      if (last && isIpv4(part)) hextets += 2;
      else if (HEXTET.test(part)) hextets += 1;
      else return false;
    }
  }
  return halves.length === 2 ? hextets < 8 : hextets === 8;
}

export function isIp(text: string): boolean {
  return isIpv4(text) || isIpv6(text);
}
