/** A zip of files that are not compressed, made at once. */
import { crc32 } from 'node:zlib';

/** `flags`: general purpose flags of each file; 1: encrypted. */
export function storedZip(files: Readonly<Record<string, string | Uint8Array>>, flags = 0): Buffer {
  const locals: Buffer[] = [];
  const list: Buffer[] = [];
  let start = 0;
  for (const [path, content] of Object.entries(files)) {
    const [name, bytes] = [Buffer.from(path), Buffer.from(content)];
    const local = Buffer.alloc(30);
    local.write('PK\x03\x04', 'latin1');
    local.writeUInt16LE(flags, 6);
    local.writeUInt32LE(crc32(bytes), 14);
    local.writeUInt32LE(bytes.length, 18);
    local.writeUInt32LE(bytes.length, 22);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.write('PK\x01\x02', 'latin1');
    local.copy(entry, 6, 4, 30);
    entry.writeUInt32LE(start, 42);
    locals.push(local, name, bytes);
    list.push(entry, name);
    start += 30 + name.length + bytes.length;
  }
  const directory = Buffer.concat(list);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(list.length / 2, 8);
  end.writeUInt16LE(list.length / 2, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(start, 16);
  return Buffer.concat([...locals, directory, end]);
}
