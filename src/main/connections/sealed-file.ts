/** The file that keeps secrets where there is no keychain: scrypt over a passphrase, AES-256-GCM. */
import { createCipheriv, createDecipheriv, randomBytes, scrypt as scryptCallback } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { z } from 'zod';
import { ParapetError } from '#shared/bridge/errors.ts';
import { removeDurable, writeDurable } from '../store/durable.ts';

const scrypt = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(
  scryptCallback,
);
/** OWASP password storage cheat sheet: N = 2^17, r = 8, p = 1; about 128 MB and half a second. */
const SEAL_COST = { N: 2 ** 17, r: 8, p: 1 };
export type SealCost = typeof SEAL_COST;

const hex = z.string().regex(/^[0-9a-f]*$/);
const envelope = z.object({
  kind: z.literal('parapet-secrets'),
  version: z.literal(1),
  kdf: z.object({
    name: z.literal('scrypt'),
    // A file that asks for more than this is not ours.
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
  /** By connection id. */
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

/** A new seal of a passphrase, with a salt of its own. */
export async function newSeal(passphrase: string, cost: SealCost = SEAL_COST): Promise<Seal> {
  const kdf = { name: 'scrypt' as const, ...cost, salt: randomBytes(16).toString('hex') };
  return { key: await derive(passphrase, kdf), kdf };
}

const notOurs = () =>
  new ParapetError(
    'conflict',
    'The file that keeps the secrets of this profile was changed by something else while Parapet ran. It was left as it is. Close Parapet, look which one is right, and start again.',
  );

/**
 * Puts the vault in place and reads it back. `before`: the text that is there now, as this process read or wrote it;
 * null: none. Anything else that lies there is never written over. Answers the text that is there now.
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
    version: 1,
    kdf: seal.kdf,
    iv: iv.toString('hex'),
    tag: cipher.getAuthTag().toString('hex'),
    data: data.toString('hex'),
  };
  const text = JSON.stringify(sealed);
  const there = existsSync(path) ? await readFile(path, 'utf8') : null;
  if (there !== null && there !== before) throw notOurs();
  try {
    writeDurable(path, text, { onlyNew: there === null });
    // What cannot be read back is not kept.
    const again = await readFile(path, 'utf8');
    if (again !== text || unseal(envelope.parse(JSON.parse(again)), seal.key) !== JSON.stringify(content))
      throw new ParapetError(
        'damaged',
        'The file that keeps the secrets of this profile does not read back as it was written. Check the disk of this machine, or choose another profile folder (--profile).',
      );
  } catch (error) {
    putBack(path, there);
    throw error;
  }
  return text;
}

/** As well as it goes: where the disk fails, what is there is looked at again when the profile is opened. */
function putBack(path: string, before: string | null): void {
  try {
    if (before === null) removeDurable(path);
    else writeDurable(path, before);
  } catch {
    // the failure that led here is the one to tell
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
  /** The file as it is. */
  text: string;
}

/** Rejects `secrets-locked` for a passphrase that does not fit and `damaged` for a file that is not one of ours. */
export async function openSealed(path: string, passphrase: string): Promise<OpenedSeal> {
  const damaged = (cause: unknown) =>
    new ParapetError(
      'damaged',
      'The file that keeps the secrets of this profile is damaged. Put back a copy of it, or start with another profile folder (--profile).',
      { cause },
    );
  let file: string;
  let parsed: z.infer<typeof envelope>;
  try {
    file = await readFile(path, 'utf8');
    parsed = envelope.parse(JSON.parse(file));
  } catch (error) {
    throw damaged(error);
  }
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
  const content = vault.safeParse(JSON.parse(text));
  if (!content.success) throw damaged(content.error);
  return { seal: { key, kdf: parsed.kdf }, content: content.data, text: file };
}
