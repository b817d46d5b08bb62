/** The 4 bytes of an IPv4 address, or null. Some programs read a leading zero as octal, so "010.0.0.1" is invalid. */
export function ipv4Bytes(text: string): number[] | null {
  if (text.length > 15) return null;
  const parts = text.split('.');
  if (parts.length !== 4) return null;
  const bytes = parts.map((part) => (/^(?:0|[1-9]\d{0,2})$/.test(part) ? Number(part) : 256));
  return bytes.every((byte) => byte < 256) ? bytes : null;
}

/** The bytes of one side of `::`; the last side may end with an IPv4 address. */
function sideBytes(side: string, isLast: boolean): number[] | null {
  if (side === '') return [];
  const bytes: number[] = [];
  const parts = side.split(':');
  for (const [index, part] of parts.entries()) {
    const tail = isLast && index === parts.length - 1 ? ipv4Bytes(part) : null;
    if (tail !== null) bytes.push(...tail);
    else {
      if (!/^[0-9a-f]{1,4}$/i.test(part)) return null;
      const value = Number.parseInt(part, 16);
      bytes.push(value >> 8, value & 255);
    }
  }
  return bytes;
}

/** The 16 bytes of an IPv6 address (RFC 4291), with or without an IPv4 tail, or null. No zone, no brackets. */
export function ipv6Bytes(text: string): number[] | null {
  if (text.length < 2 || text.length > 45 || !text.includes(':')) return null;
  const sides = text.split('::');
  if (sides.length > 2) return null;
  const head = sideBytes(sides[0] ?? '', sides.length === 1);
  const tail = sideBytes(sides[1] ?? '', true);
  if (head === null || tail === null) return null;
  const missing = 16 - head.length - tail.length;
  if (sides.length === 2 ? missing < 2 : missing !== 0) return null;
  return [...head, ...new Array<number>(missing).fill(0), ...tail];
}

export const isIpv4 = (text: string): boolean => ipv4Bytes(text) !== null;
export const isIpv6 = (text: string): boolean => ipv6Bytes(text) !== null;
export const isIp = (text: string): boolean => isIpv4(text) || isIpv6(text);

const MAPPED_PREFIX = 12;
/** An address as one writes it: IPv4 that is written as IPv6 (RFC 4291 section 2.5.5.2) would be another address. */
export function plainIp(ip: string): string {
  const bytes = /ffff:/i.test(ip) ? ipv6Bytes(ip) : null;
  const isMapped =
    bytes?.slice(0, MAPPED_PREFIX).every((byte, index) => byte === (index < 10 ? 0 : 255)) ?? false;
  return bytes !== null && isMapped ? bytes.slice(MAPPED_PREFIX).join('.') : ip;
}

/** Whether an address is only used within a network or machine, or by no machine (RFC 1918, 3879, 3927, 4193, 4291, 6598). */
export function isPrivateIp(ip: string): boolean {
  const plain = plainIp(ip);
  const bytes = ipv4Bytes(plain);
  const [a = 0, b = 0] = bytes ?? [];
  const [first = 0, second = 0, ...rest] = ipv6Bytes(plain) ?? [];
  return (
    (bytes !== null && (a === 0 || a >= 224)) ||
    a === 10 ||
    a === 127 ||
    (a === 100 && b >> 6 === 1) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >> 4 === 1) ||
    (a === 192 && b === 168) ||
    first >> 1 === 0x7e ||
    (first === 0xfe && second >= 0x80) ||
    // Local translation from IPv6 to IPv4 (RFC 8215).
    [first, second, ...rest.slice(0, 4)].join() === '0,100,255,155,0,1' ||
    (rest.at(-1) === 1 && [first, second, ...rest.slice(0, -1)].every((byte) => byte === 0))
  );
}
