/** The public keys of DKIM that the analyst gives: records of DNS in a file beside the evidence. Nothing is looked up. */
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { codeOf, diskFailure, withheld } from '#shared/model/disk-errors.ts';

/** The text of each record by its name in DNS, in lower case: `selector._domainkey.example.com`. */
export type DkimKeys = ReadonlyMap<string, string>;

export const NO_KEYS: DkimKeys = new Map();

export interface KeyFile {
  name: string;
  keys: DkimKeys;
  /** Changes with what the keys say; '' without any. */
  digest: string;
  /** Why the file gives no keys; null if it does, or if there is none. */
  problem: string | null;
}

const MAX_BYTES = 4 * 1024 * 1024;
const MAX_KEYS = 10_000;
const RECORD = /^\s*([\w.-]+)[ \t]+(?:\d{1,10}[ \t]+)?(?:IN[ \t]+)?(?:\d{1,10}[ \t]+)?TXT[ \t]+(.*)$/i;
const QUOTED = /"((?:[^"\\]|\\.)*)"/g;

/** The pieces of a record's text together; without quotes, the line as it is. */
function textOf(value: string): string {
  const pieces = [...value.matchAll(QUOTED)].map(([, piece = '']) => piece.replace(/\\(.)/g, '$1'));
  return (pieces.length > 0 ? pieces.join('') : value).trim();
}

const withoutComment = (line: string): string => line.replace(/("(?:[^"\\]|\\.)*")|;.*$/g, '$1');

/** Reads lines as a zone file has them, or as `dig` prints them; what is no key is passed over. */
export function readDkimKeys(text: string): DkimKeys {
  const keys = new Map<string, string>();
  let origin = '';
  const lines = text.split(/\r?\n/);
  for (let index = 0; index < lines.length && keys.size < MAX_KEYS; index++) {
    const line = lines[index] ?? '';
    if (/^\s*[;#]/.test(line)) continue;
    origin = /^\$ORIGIN[ \t]+([\w.-]+)/i.exec(line)?.[1]?.replace(/\.$/, '') ?? origin;
    const [, owner = '', first = ''] = RECORD.exec(line) ?? [];
    if (owner === '') continue;
    let value = first;
    // Its pieces may stand on several lines, in brackets.
    if (value.startsWith('(')) {
      value = withoutComment(value);
      while (!value.replace(QUOTED, '').includes(')') && index + 1 < lines.length && value.length < 16_384) {
        index += 1;
        value += ` ${withoutComment(lines[index] ?? '')}`;
      }
    }
    const name = owner.endsWith('.') || origin === '' ? owner.replace(/\.$/, '') : `${owner}.${origin}`;
    if (name.toLowerCase().includes('._domainkey.')) keys.set(name.toLowerCase(), textOf(value));
  }
  return keys;
}

/**
 * The keys in `<evidence>.dkim-keys.txt`. Beside the evidence and not in it, where whoever sent the mail, or packed it,
 * could have put keys of their own.
 */
export async function keysBeside(evidence: string): Promise<KeyFile> {
  const name = `${evidence}.dkim-keys.txt`;
  const none = (problem: string | null): KeyFile => ({ name, keys: NO_KEYS, digest: '', problem });
  try {
    const file = await stat(name);
    if (!file.isFile()) return none('the keys of DKIM are not a file');
    const { size } = file;
    if (size > MAX_BYTES) return none(`the file of keys has more than ${MAX_BYTES / 1024 ** 2} MiB`);
    const keys = readDkimKeys(await readFile(name, 'utf8'));
    if (keys.size === 0) return none('it holds no keys of DKIM: signatures are not verified');
    const digest = createHash('sha256')
      .update(JSON.stringify([...keys]))
      .digest('hex')
      .slice(0, 16);
    return { name, keys, digest, problem: null };
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return none(null);
    const reason =
      withheld(error) ?? diskFailure(error) ?? (error instanceof Error ? error.message : 'unknown');
    return none(`the keys of DKIM could not be read: ${reason}`);
  }
}
