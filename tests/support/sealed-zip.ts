/** Reads zips encrypted with WinZip's AE-1 and AE-2 (APPNOTE 4.4 and 4.5, winzip.com/aes_info), without a library. */
import { createCipheriv, createHmac, pbkdf2Sync, timingSafeEqual } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const AES = 99;
const AES_EXTRA = 0x9901;
const MAC = 10;

interface Found {
  name: string;
  method: number;
  /** AES strength in the extra field: 1 to 3. */
  strength: number;
  data: Buffer;
}

function entryAt(zip: Buffer, offset: number): { found: Found; next: number } {
  if (zip.readUInt32LE(offset) !== CENTRAL) throw new Error(`No entry at ${offset}`);
  const [names, extras, comments] = [28, 30, 32].map((field) => zip.readUInt16LE(offset + field)) as [
    number,
    number,
    number,
  ];
  if ((zip.readUInt16LE(offset + 8) & 1) === 0 || zip.readUInt16LE(offset + 10) !== AES)
    throw new Error('An entry that is not sealed by AES');
  const name = zip.toString('utf8', offset + 46, offset + 46 + names);
  let extra = offset + 46 + names;
  while (zip.readUInt16LE(extra) !== AES_EXTRA) extra += 4 + zip.readUInt16LE(extra + 2);
  const local = zip.readUInt32LE(offset + 42);
  const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  return {
    found: {
      name,
      strength: zip.readUInt8(extra + 8),
      method: zip.readUInt16LE(extra + 9),
      data: zip.subarray(from, from + zip.readUInt32LE(offset + 20)),
    },
    next: offset + 46 + names + extras + comments,
  };
}

/** CTR with WinZip's counter, which starts at 1 and is little-endian, unlike OpenSSL's. */
function unciphered(data: Buffer, key: Buffer): Buffer {
  const counters = Buffer.alloc(Math.ceil(data.length / 16) * 16);
  for (let block = 0; block * 16 < data.length; block += 1) counters.writeUInt32LE(block + 1, block * 16);
  const cipher = createCipheriv(`aes-${key.length * 8}-ecb`, key, null).setAutoPadding(false);
  const stream = cipher.update(counters);
  return Buffer.from(data.map((byte, index) => byte ^ (stream[index] ?? 0)));
}

function opened({ strength, method, data }: Found, password: string): Buffer {
  const keyBytes = 8 + strength * 8;
  const salt = data.subarray(0, keyBytes / 2);
  const keys = pbkdf2Sync(password, salt, 1000, keyBytes * 2 + 2, 'sha1');
  const check = data.subarray(salt.length, salt.length + 2);
  if (!check.equals(keys.subarray(keyBytes * 2))) throw new Error('Another password');
  const cipher = data.subarray(salt.length + 2, -MAC);
  const mac = createHmac('sha1', keys.subarray(keyBytes, keyBytes * 2))
    .update(cipher)
    .digest();
  if (!timingSafeEqual(mac.subarray(0, MAC), data.subarray(-MAC)))
    throw new Error('Changed since it was sealed');
  const plain = unciphered(cipher, keys.subarray(0, keyBytes));
  return method === 0 ? plain : inflateRawSync(plain);
}

/** The contents by name. Throws for a wrong password, an unencrypted entry, and a changed byte. */
export function readSealedZip(zip: Buffer, password: string): Map<string, Buffer> {
  const end = zip.lastIndexOf(Buffer.from(new Uint32Array([END]).buffer));
  const entries = new Map<string, Buffer>();
  let offset = zip.readUInt32LE(end + 16);
  for (let remaining = zip.readUInt16LE(end + 10); remaining > 0; remaining -= 1) {
    const { found, next } = entryAt(zip, offset);
    entries.set(found.name, opened(found, password));
    offset = next;
  }
  return entries;
}
