/** IP addresses and networks in conditions. */
import { ipv4Bytes, ipv6Bytes } from '../model/ip.ts';

/** The 4 or 16 bytes of an address, or null. An IPv4-mapped IPv6 address is treated as IPv4. */
export function ipBytes(text: string): number[] | null {
  const trimmed = text.trim();
  if (trimmed.length > 60) return null;
  const bytes = ipv4Bytes(trimmed) ?? ipv6Bytes(trimmed.replace(/%[\w.-]+$/, ''));
  const isMapped =
    bytes?.length === 16 &&
    bytes.slice(0, 10).every((byte) => byte === 0) &&
    bytes[10] === 255 &&
    bytes[11] === 255;
  return isMapped ? bytes.slice(12) : bytes;
}

export interface Network {
  bytes: number[];
  bits: number;
}

/** A network in CIDR notation; a single address is a network of one. null when it is neither. */
export function parseNetwork(text: string): Network | null {
  const [address = '', length, ...rest] = text.trim().split('/');
  const bytes = ipBytes(address);
  if (bytes === null || rest.length > 0) return null;
  if (length === undefined) return { bytes, bits: bytes.length * 8 };
  if (!/^\d{1,3}$/.test(length) || Number(length) > bytes.length * 8) return null;
  return { bytes, bits: Number(length) };
}

/** Whether the address is in the network; false for anything that is not an address. */
export function inNetwork(ip: string, network: Network): boolean {
  const bytes = ipBytes(ip);
  if (bytes === null || bytes.length !== network.bytes.length) return false;
  for (let bit = 0; bit < network.bits; bit += 8) {
    const mask = network.bits - bit >= 8 ? 255 : (255 << (8 - (network.bits - bit))) & 255;
    if (((bytes[bit / 8] ?? 0) & mask) !== ((network.bytes[bit / 8] ?? 0) & mask)) return false;
  }
  return true;
}
