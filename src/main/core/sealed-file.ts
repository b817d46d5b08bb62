/** The file that keeps secrets where there is no keychain: scrypt over a passphrase, AES-256-GCM. */
import { createCipheriv, createDecipheriv, randomBytes, scrypt as scryptCallback } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { promisify } from 'node:util';
import { z } from 'zod';
import { ParapetError } from '#shared/bridge/errors.ts';

const scrypt = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(
  scryptCallback,
);
/** OWASP password storage cheat sheet: N = 2^17, r = 8, p = 1; about 128 MB and half a second. */
const COST = { N: 2 ** 17, r: 8, p: 1 };

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

export const vault = z.object({
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
export async function newSeal(passphrase: string): Promise<Seal> {
  const kdf = { name: 'scrypt' as const, ...COST, salt: randomBytes(16).toString('hex') };
  return { key: await derive(passphrase, kdf), kdf };
}

/** Writes the vault under a new name, then puts it in place: a torn write leaves the file of before. */
export async function writeSealed(path: string, seal: Seal, content: Vault): Promise<void> {
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
  const file = await open(`${path}.new`, 'w', 0o600);
  try {
    await file.writeFile(JSON.stringify(sealed));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
}

/** Rejects `secrets-locked` for a passphrase that does not fit and `damaged` for a file that is not one of ours. */
export async function openSealed(path: string, passphrase: string): Promise<{ seal: Seal; content: Vault }> {
  const damaged = (cause: unknown) =>
    new ParapetError(
      'damaged',
      'The file that keeps the secrets of this profile is damaged. Put back a copy of it, or move it away to start anew.',
      { cause },
    );
  let parsed: z.infer<typeof envelope>;
  try {
    parsed = envelope.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    throw damaged(error);
  }
  const key = await derive(passphrase, parsed.kdf);
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(parsed.iv, 'hex'));
  decipher.setAAD(Buffer.from(JSON.stringify(parsed.kdf)));
  let text: string;
  try {
    decipher.setAuthTag(Buffer.from(parsed.tag, 'hex'));
    text = decipher.update(parsed.data, 'hex', 'utf8') + decipher.final('utf8');
  } catch (error) {
    throw new ParapetError('secrets-locked', 'That passphrase does not open the secrets of this profile.', {
      retryable: true,
      cause: error,
      data: { field: 'passphrase' },
    });
  }
  const content = vault.safeParse(JSON.parse(text));
  if (!content.success) throw damaged(content.error);
  return { seal: { key, kdf: parsed.kdf }, content: content.data };
}
