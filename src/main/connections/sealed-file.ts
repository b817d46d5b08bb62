/** The file that holds secrets where there is no keychain: scrypt over a passphrase, AES-256-GCM. */
import { createCipheriv, createDecipheriv, randomBytes, scrypt as scryptCallback } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { z } from 'zod';
import { ParapetError } from '#shared/bridge/errors.ts';
import { diskFailure, isDenied, isDiskFull, withheld } from '#shared/model/disk-errors.ts';
import { isThere } from '#workers/exists-or-throw.ts';
import { removeDurable, writeDurable } from '../store/durable.ts';

const scrypt = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(
  scryptCallback,
);
/** OWASP password storage cheat sheet: N = 2^17, r = 8, p = 1; about 128 MB and half a second. */
const SEAL_COST = { N: 2 ** 17, r: 8, p: 1 };
export type SealCost = typeof SEAL_COST;

const VERSION = 1;
const hex = z.string().regex(/^[0-9a-f]*$/);
const envelope = z.object({
  kind: z.literal('parapet-secrets'),
  version: z.literal(VERSION),
  kdf: z.object({
    name: z.literal('scrypt'),
    // A file with a higher cost was not written by Parapet.
    N: z
      .number()
      .int()
      .min(2)
      .max(2 ** 20),
    r: z.number().int().min(1).max(32),
    p: z.number().int().min(1).max(8),
    salt: hex,
  }),
  iv: hex,
  tag: hex,
  data: hex,
});

const vault = z.object({
  databaseKey: z.string().regex(/^[0-9a-f]{64}$/),
  /** Keyed by connection id. */
  credentials: z.record(z.string(), z.string()),
});
export type Vault = z.infer<typeof vault>;

export interface Seal {
  key: Buffer;
  kdf: z.infer<typeof envelope>['kdf'];
}

const derive = (passphrase: string, kdf: Seal['kdf']) =>
  scrypt(passphrase.normalize('NFKC'), Buffer.from(kdf.salt, 'hex'), 32, {
    N: kdf.N,
    r: kdf.r,
    p: kdf.p,
    maxmem: 256 * kdf.N * kdf.r,
  });

/** A seal derived from a passphrase with a new salt. */
export async function newSeal(passphrase: string, cost: SealCost = SEAL_COST): Promise<Seal> {
  const kdf = { name: 'scrypt' as const, ...cost, salt: randomBytes(16).toString('hex') };
  return { key: await derive(passphrase, kdf), kdf };
}

const notOurs = () =>
  new ParapetError(
    'conflict',
    'The file that holds the secrets of this profile was changed by another program while Parapet was running. It was left as it is. Close Parapet, check which version is right, and start again.',
  );

/** `error` with what failed, why and what to do. */
function unsaved(error: unknown): ParapetError {
  if (error instanceof ParapetError) return error;
  const cause = isDiskFull(error)
    ? 'the disk is full'
    : isDenied(error)
      ? 'permission was denied'
      : (diskFailure(error) ?? withheld(error));
  const reason = cause ?? (error instanceof Error ? error.message : String(error));
  return new ParapetError(
    isDiskFull(error) ? 'disk-full' : 'internal',
    `The secrets of this profile could not be saved: ${reason}. Check the disk of the profile folder, and try again.`,
    { retryable: true, cause: error },
  );
}

/**
 * Writes the vault and reads it back; returns the new text of the file. `before` is its text as this process last
 * read or wrote it, null for no file; a file with any other content is never overwritten. Rejects ParapetError.
 */
export async function writeSealed(
  path: string,
  seal: Seal,
  content: Vault,
  before: string | null,
): Promise<string> {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', seal.key, iv);
  cipher.setAAD(Buffer.from(JSON.stringify(seal.kdf)));
  const data = Buffer.concat([cipher.update(JSON.stringify(content), 'utf8'), cipher.final()]);
  const sealed: z.infer<typeof envelope> = {
    kind: 'parapet-secrets',
    version: VERSION,
    kdf: seal.kdf,
    iv: iv.toString('hex'),
    tag: cipher.getAuthTag().toString('hex'),
    data: data.toString('hex'),
  };
  const text = JSON.stringify(sealed);
  const there = await textAt(path);
  if (there !== null && there !== before) throw notOurs();
  try {
    writeDurable(path, text, { onlyNew: there === null });
    // A file that cannot be read back is undone.
    const again = await readFile(path, 'utf8');
    if (again !== text || unseal(envelope.parse(JSON.parse(again)), seal.key) !== JSON.stringify(content))
      throw new ParapetError(
        'damaged',
        'The file that holds the secrets of this profile does not read back as it was written. Check the disk of this machine, or choose another profile folder (--profile).',
      );
  } catch (error) {
    putBack(path, there);
    throw unsaved(error);
  }
  return text;
}

/** Null if there is no such file. */
async function textAt(path: string): Promise<string | null> {
  try {
    return isThere(path) ? await readFile(path, 'utf8') : null;
  } catch (error) {
    throw unsaved(error);
  }
}

/** Best effort: on a failing disk, the file is examined again when the profile is opened. */
function putBack(path: string, before: string | null): void {
  try {
    if (before === null) removeDurable(path);
    else writeDurable(path, before);
  } catch {
    // The original failure is reported instead.
  }
}

function unseal(sealed: z.infer<typeof envelope>, key: Buffer): string {
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(sealed.iv, 'hex'));
  decipher.setAAD(Buffer.from(JSON.stringify(sealed.kdf)));
  decipher.setAuthTag(Buffer.from(sealed.tag, 'hex'));
  return decipher.update(sealed.data, 'hex', 'utf8') + decipher.final('utf8');
}

export interface OpenedSeal {
  seal: Seal;
  content: Vault;
  /** The file's exact text. */
  text: string;
}

/** A sealed file of this kind, of whatever version. */
const anyVersion = z.object({ kind: z.literal('parapet-secrets'), version: z.number() });

/** The file's text. Rejects `bad-file` where it cannot be read, which does not make it damaged. */
async function readSealed(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ParapetError(
      'bad-file',
      `The file that holds the secrets of this profile cannot be read: ${reason}. Nothing was changed.`,
      { retryable: true, cause: error },
    );
  }
}

/**
 * Rejects `secrets-locked` for a wrong passphrase, `damaged` for a file that is not a sealed vault, `newer-schema` for one
 * of a newer version, and `bad-file` where it cannot be read.
 */
export async function openSealed(path: string, passphrase: string): Promise<OpenedSeal> {
  const damaged = (cause: unknown) =>
    new ParapetError(
      'damaged',
      'The file that holds the secrets of this profile is damaged. Restore a copy of it, or start with another profile folder (--profile).',
      { cause },
    );
  const file = await readSealed(path);
  let content: unknown;
  try {
    content = JSON.parse(file);
  } catch (error) {
    throw damaged(error);
  }
  const header = anyVersion.safeParse(content);
  if (header.success && header.data.version > VERSION)
    throw new ParapetError(
      'newer-schema',
      'The file that holds the secrets of this profile was written by a newer Parapet. Nothing was changed. Start the newer version, or use another profile folder (--profile).',
    );
  const read = envelope.safeParse(content);
  if (!read.success) throw damaged(read.error);
  const parsed = read.data;
  const key = await derive(passphrase, parsed.kdf);
  let text: string;
  try {
    text = unseal(parsed, key);
  } catch (error) {
    throw new ParapetError('secrets-locked', 'That passphrase does not open the secrets of this profile.', {
      retryable: true,
      cause: error,
      data: { field: 'passphrase' },
    });
  }
  const opened = vault.safeParse(JSON.parse(text));
  if (!opened.success) throw damaged(opened.error);
  return { seal: { key, kdf: parsed.kdf }, content: opened.data, text: file };
}
