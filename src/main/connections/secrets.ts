/**
 * Where the database key and the credentials are kept: the keychain, a sealed file, or this run's memory.
 *
 * A profile has one home for its secrets. While that home is closed nothing is written to it: a seal is only opened,
 * a keychain only asked, and what this run collects stays in memory. A home is left only when everything was read
 * back from the next one.
 */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { AppInfo } from '#shared/bridge/operations.ts';
import type { Keychain } from '../kernel/ports.ts';
import { removeDurable } from '../store/durable.ts';
import { hasSealedFiles, SEALED } from '../store/profile-files.ts';
import { newSeal, openSealed, type Seal, type SealCost, type Vault, writeSealed } from './sealed-file.ts';

type SecretsState = AppInfo['secrets'];

export interface Secrets {
  state(): SecretsState;
  /** Key of the databases, 32 bytes as hex. In `run` and `undecided`, and while locked, it lives for this run. */
  databaseKey(): string;
  /** true: the key outlives this run, so files of the profile can be opened and left behind. */
  lasting(): boolean;
  /** true: the key is older than this run, so there should be files that were written with it. */
  hasHistory(): boolean;
  credential(connectionId: string): Promise<string | null>;
  setCredential(connectionId: string, credential: string | null): Promise<void>;
  /**
   * Keeps what there is in another place, or unlocks. `known`: what the workspace knows credentials by. Answers what
   * became of the key: `kept` (the same one, now lasting or not) or `opened` (another one, of this profile's own files).
   * Rejects secrets-unavailable, secrets-locked, invalid-input, read-only-profile, conflict, damaged; then nothing
   * has changed.
   */
  choose(
    mode: 'passphrase' | 'run' | 'keychain',
    passphrase: string | undefined,
    known: readonly string[],
  ): Promise<'kept' | 'opened'>;
  /** The files did not open with the key that was found: back to what this run had, locked, for this reason. */
  relock(reason: string): void;
}

const KEY_ACCOUNT = 'database-key';
const credentialAccount = (connectionId: string) => `credential/${connectionId}`;
const PASSPHRASE_MIN = 8;
const isKey = (text: string | null): text is string => text !== null && /^[0-9a-f]{64}$/.test(text);
const newKey = () => randomBytes(32).toString('hex');
const shortHash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12);

const NO_KEY =
  'The keychain of this machine answers, but has no key for this profile: the keychain was replaced, or the file profile-id of the profile folder was. Put back the one that belongs to it, or start with another profile folder (--profile). Nothing was changed.';

interface Options {
  keychain: Keychain;
  profile: string;
  readOnly: boolean;
  sealCost?: SealCost | undefined;
}

interface Now {
  /** Where this profile's secrets are kept; none: nothing of it lasts. */
  home: 'none' | 'keychain' | 'seal';
  open: boolean;
  /** The analyst goes on for this run only. */
  run: boolean;
  reason: string | null;
  held: Vault;
  /** Of an open seal, with the file's text as this process knows it. */
  seal: { seal: Seal; text: string } | null;
  hasHistory: boolean;
}

/** Finds out how this profile keeps its secrets. Never rejects: what cannot be had becomes a state. */
export async function createSecrets({ keychain, profile, readOnly, sealCost }: Options): Promise<Secrets> {
  const sealedPath = join(profile, SEALED);
  let now: Now = {
    home: 'none',
    open: false,
    run: false,
    reason: null,
    held: { databaseKey: newKey(), credentials: {} },
    seal: null,
    hasHistory: false,
  };
  /** What this run had before it opened the profile's own secrets. */
  let before: Now = now;
  /** One change at a time: each begins with what the one before it left. */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  };

  const become = (change: Partial<Now>) => {
    now = { ...now, ...change };
  };
  const openAs = (change: Partial<Now>): 'opened' => {
    before = now;
    become({ ...change, open: true, run: false, reason: null, hasHistory: true });
    return 'opened';
  };

  /** Some keychains take a secret and forget it: only what comes back counts. */
  const keep = async (account: string, secret: string) => {
    if ((await keychain.get(account)) === secret) return;
    await keychain.set(account, secret);
    if ((await keychain.get(account)) !== secret)
      throw new ParapetError(
        'secrets-unavailable',
        'The keychain of this machine does not keep what it is given.',
      );
  };

  /** Everything into the keychain, the key last: with it the keychain is the profile's home. */
  const fillKeychain = async ({ databaseKey, credentials }: Vault) => {
    for (const [id, secret] of Object.entries(credentials)) await keep(credentialAccount(id), secret);
    const other = await keychain.get(KEY_ACCOUNT);
    // A key of earlier files of this profile; they may still lie somewhere.
    if (isKey(other) && other !== databaseKey) await keep(`${KEY_ACCOUNT}/${shortHash(other)}`, other);
    await keep(KEY_ACCOUNT, databaseKey);
  };

  const start = async () => {
    if (existsSync(sealedPath)) {
      become({ home: 'seal', reason: 'Enter the passphrase of this profile.' });
      return;
    }
    const waiting = hasSealedFiles(profile);
    try {
      const known = await keychain.get(KEY_ACCOUNT);
      if (isKey(known)) openAs({ home: 'keychain', held: { databaseKey: known, credentials: {} } });
      // Files that are already there were written with a key that is not this one to make.
      else if (waiting) become({ home: 'keychain', reason: NO_KEY });
      else {
        await keep(KEY_ACCOUNT, now.held.databaseKey);
        become({ home: 'keychain', open: true });
      }
    } catch (error) {
      become({ home: waiting ? 'keychain' : 'none', reason: toBridgeError(error).message });
    }
  };

  const reseal = async (content: Vault, seal: Seal) => {
    if (readOnly)
      throw new ParapetError(
        'read-only-profile',
        'The profile folder cannot be written to, so no secrets can be kept in it.',
      );
    return { seal, text: await writeSealed(sealedPath, seal, content, now.seal?.text ?? null) };
  };

  const toPassphrase = async (
    passphrase: string | undefined,
    known: readonly string[],
  ): Promise<'kept' | 'opened'> => {
    if (passphrase === undefined || passphrase === '')
      throw new ParapetError('invalid-input', 'Enter a passphrase.', { data: { field: 'passphrase' } });
    if (now.home === 'seal' && !now.open) {
      const { seal, content, text } = await openSealed(sealedPath, passphrase);
      return openAs({ seal: { seal, text }, held: content });
    }
    if (now.home === 'keychain' && !now.open)
      throw new ParapetError(
        'secrets-locked',
        'This profile keeps its secrets in the keychain, which is closed to Parapet. Open it first.',
      );
    if (passphrase.length < PASSPHRASE_MIN)
      throw new ParapetError('invalid-input', `A passphrase needs at least ${PASSPHRASE_MIN} characters.`, {
        data: { field: 'passphrase' },
      });
    const fromKeychain = now.home === 'keychain';
    const credentials = { ...now.held.credentials };
    if (fromKeychain)
      for (const id of known) {
        const secret = credentials[id] ?? (await keychain.get(credentialAccount(id)));
        if (secret !== null) credentials[id] = secret;
      }
    const content: Vault = { databaseKey: now.held.databaseKey, credentials };
    const seal = await reseal(content, await newSeal(passphrase, sealCost));
    become({ home: 'seal', open: true, run: false, reason: null, held: content, seal });
    // The sealed file was read back and holds all of it: in the keychain it would only linger.
    if (fromKeychain)
      for (const account of [...Object.keys(credentials).map(credentialAccount), KEY_ACCOUNT])
        await keychain.remove(account).catch(() => {});
    return 'kept';
  };

  const toKeychain = async (): Promise<'kept' | 'opened'> => {
    if (now.home === 'seal' && !now.open)
      throw new ParapetError('secrets-locked', 'Enter the passphrase of this profile first.');
    if (now.home === 'keychain') {
      if (now.open) return 'kept';
      const known = await keychain.get(KEY_ACCOUNT);
      if (!isKey(known)) throw new ParapetError('secrets-locked', NO_KEY, { retryable: true });
      return openAs({ held: { databaseKey: known, credentials: {} } });
    }
    await fillKeychain(now.held);
    if (now.home === 'seal') removeDurable(sealedPath);
    become({ home: 'keychain', open: true, run: false, reason: null, seal: null });
    return 'kept';
  };

  await start();
  return {
    state() {
      const { home, open, run, reason } = now;
      if (home === 'none') return { mode: run ? 'run' : 'undecided', locked: false, reason };
      return { mode: home === 'seal' ? 'passphrase' : 'keychain', locked: !open, reason };
    },
    databaseKey: () => now.held.databaseKey,
    lasting: () => now.home !== 'none' && now.open,
    hasHistory: () => now.hasHistory,
    async credential(connectionId) {
      const known = now.held.credentials[connectionId];
      if (known !== undefined) return known;
      const from = now;
      if (from.home !== 'keychain' || !from.open) return null;
      const found = await keychain.get(credentialAccount(connectionId));
      // Meanwhile another one may have been set, or the profile closed.
      if (found !== null && now.held === from.held)
        become({ held: { ...now.held, credentials: { ...now.held.credentials, [connectionId]: found } } });
      return found;
    },
    setCredential: (connectionId, credential) =>
      inTurn(async () => {
        const change = ({ databaseKey, credentials: { [connectionId]: _, ...rest } }: Vault): Vault => ({
          databaseKey,
          credentials: credential === null ? rest : { ...rest, [connectionId]: credential },
        });
        if (now.home === 'keychain' && now.open) {
          if (credential === null) await keychain.remove(credentialAccount(connectionId));
          else await keep(credentialAccount(connectionId), credential);
        }
        if (now.seal !== null) become({ seal: await reseal(change(now.held), now.seal.seal) });
        become({ held: change(now.held) });
      }),
    choose: (mode, passphrase, known) =>
      inTurn(async () => {
        if (mode === 'passphrase') return toPassphrase(passphrase, known);
        if (mode === 'keychain') return toKeychain();
        if (now.home !== 'none' && now.open)
          throw new ParapetError(
            'invalid-input',
            'The secrets of this profile are already kept; they stay where they are.',
            { data: { field: 'mode' } },
          );
        become({ run: true });
        return 'kept';
      }),
    relock(reason) {
      const { home } = now;
      now = { ...before, home, open: false, reason };
    },
  };
}
