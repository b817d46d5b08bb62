/** IP addresses and networks in conditions. */

function v4Bytes(text: string): number[] | null {
  const parts = text.split('.');
  if (parts.length !== 4) return null;
  // A leading zero means octal to some programs and nothing to others: "010.0.0.1" is two addresses, so none.
  const bytes = parts.map((part) => (/^(?:0|[1-9]\d{0,2})$/.test(part) ? Number(part) : 256));
  return bytes.every((byte) => byte < 256) ? bytes : null;
}

function groups(text: string): number[] | null {
  if (text === '') return [];
  const bytes: number[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    if (part.includes('.')) {
      const tail = index === parts.length - 1 ? v4Bytes(part) : null;
      if (tail === null) return null;
      bytes.push(...tail);
    } else {
      if (!/^[0-9a-f]{1,4}$/i.test(part)) return null;
      const value = Number.parseInt(part, 16);
      bytes.push(value >> 8, value & 255);
    }
  }
  return bytes;
}

/** The 4 or 16 bytes of an address, or null when it is none. An IPv4-mapped IPv6 address is its IPv4 address. */
export function ipBytes(text: string): number[] | null {
  const trimmed = text.trim();
  if (trimmed.length > 60) return null;
  const v4 = v4Bytes(trimmed);
  if (v4 !== null) return v4;
  const halves = trimmed.replace(/%[\w.-]+$/, '').split('::');
  if (halves.length > 2 || !trimmed.includes(':')) return null;
  const head = groups(halves[0] ?? '');
  const tail = halves.length === 2 ? groups(halves[1] ?? '') : [];
  if (head === null || tail === null) return null;
  const missing = 16 - head.length - tail.length;
  if (halves.length === 2 ? missing < 2 : missing !== 0) return null;
  const bytes = [...head, ...new Array<number>(missing).fill(0), ...tail];
  const mapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
  return mapped ? bytes.slice(12) : bytes;
}

export interface Network {
  bytes: number[];
  bits: number;
}

/** A network in CIDR notation; a lone address is a network of one. null when it is neither. */
export function parseNetwork(text: string): Network | null {
  const [address = '', length, ...rest] = text.trim().split('/');
  const bytes = ipBytes(address);
  if (bytes === null || rest.length > 0) return null;
  if (length === undefined) return { bytes, bits: bytes.length * 8 };
  if (!/^\d{1,3}$/.test(length) || Number(length) > bytes.length * 8) return null;
  return { bytes, bits: Number(length) };
}

/** Whether the address lies in the network. What is no address lies in none. */
export function inNetwork(ip: string, network: Network): boolean {
  const bytes = ipBytes(ip);
  if (bytes === null || bytes.length !== network.bytes.length) return false;
  for (let bit = 0; bit < network.bits; bit += 8) {
    const mask = network.bits - bit >= 8 ? 255 : (255 << (8 - (network.bits - bit))) & 255;
    if (((bytes[bit / 8] ?? 0) & mask) !== ((network.bytes[bit / 8] ?? 0) & mask)) return false;
  }
  return true;
}
