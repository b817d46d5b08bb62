/** Where the database key and the credentials are kept: the keychain, a sealed file, or this run's memory. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { AppInfo } from '#shared/bridge/operations.ts';
import type { Keychain } from './ports.ts';
import { newSeal, openSealed, type Seal, type Vault, writeSealed } from './sealed-file.ts';

export type SecretsState = AppInfo['secrets'];

export interface Secrets {
  state(): SecretsState;
  /** Key of the databases, 32 bytes as hex. In `run` and `undecided`, and while locked, it lives for this run. */
  databaseKey(): string;
  /** true: the key outlives this run, so files of the profile can be opened and left behind. */
  lasting(): boolean;
  credential(connectionId: string): Promise<string | null>;
  setCredential(connectionId: string, credential: string | null): Promise<void>;
  /**
   * Keeps what there is in another place, or unlocks. Answers what became of the key: `kept` (the same one, now
   * lasting or not) or `opened` (another one, of this profile's own files).
   * Rejects secrets-unavailable, secrets-locked, invalid-input, read-only-profile, damaged.
   */
  choose(mode: 'passphrase' | 'run' | 'keychain', passphrase: string | undefined): Promise<'kept' | 'opened'>;
}

const KEY_ACCOUNT = 'database-key';
const credentialAccount = (connectionId: string) => `credential/${connectionId}`;
const PASSPHRASE_MIN = 8;
const newKey = () => randomBytes(32).toString('hex');

interface Options {
  keychain: Keychain;
  profile: string;
  readOnly: boolean;
}

/** Finds out how this profile keeps its secrets. Never rejects: what cannot be had becomes a state. */
export async function createSecrets({ keychain, profile, readOnly }: Options): Promise<Secrets> {
  const sealedPath = join(profile, 'secrets.sealed');
  let state: SecretsState = { mode: 'undecided', locked: false, reason: null };
  let seal: Seal | null = null;
  let held: Vault = { databaseKey: newKey(), credentials: {} };

  /** The key of the keychain; makes one on first use. */
  const keychainKey = async (wanted: string | null): Promise<string> => {
    const known = await keychain.get(KEY_ACCOUNT);
    if (known !== null && /^[0-9a-f]{64}$/.test(known)) return known;
    const key = wanted ?? newKey();
    await keychain.set(KEY_ACCOUNT, key);
    // Some keychains take a secret and forget it: only what comes back counts.
    if ((await keychain.get(KEY_ACCOUNT)) !== key)
      throw new ParapetError(
        'secrets-unavailable',
        'The keychain of this machine does not keep what it is given.',
      );
    return key;
  };

  const start = async () => {
    if (existsSync(sealedPath)) {
      state = { mode: 'passphrase', locked: true, reason: 'Enter the passphrase of this profile.' };
      return;
    }
    try {
      held.databaseKey = await keychainKey(null);
      state = { mode: 'keychain', locked: false, reason: null };
    } catch (error) {
      const { message } = toBridgeError(error);
      // Files that are already there were written with a key that only the keychain has.
      const waiting = existsSync(join(profile, 'workspace.sqlite'));
      state = { mode: waiting ? 'keychain' : 'undecided', locked: waiting, reason: message };
    }
  };

  const reseal = async (content: Vault, with_: Seal) => {
    if (readOnly)
      throw new ParapetError(
        'read-only-profile',
        'The profile folder cannot be written to, so no secrets can be kept in it.',
      );
    await writeSealed(sealedPath, with_, content);
  };

  const toPassphrase = async (passphrase: string | undefined): Promise<'kept' | 'opened'> => {
    if (passphrase === undefined || passphrase === '')
      throw new ParapetError('invalid-input', 'Enter a passphrase.', { data: { field: 'passphrase' } });
    if (state.mode === 'passphrase' && state.locked) {
      const opened = await openSealed(sealedPath, passphrase);
      seal = opened.seal;
      held = opened.content;
      state = { mode: 'passphrase', locked: false, reason: null };
      return 'opened';
    }
    if (state.mode === 'keychain' && state.locked)
      throw new ParapetError(
        'secrets-locked',
        'This profile keeps its secrets in the keychain, which is locked. Unlock it first.',
      );
    if (passphrase.length < PASSPHRASE_MIN)
      throw new ParapetError('invalid-input', `A passphrase needs at least ${PASSPHRASE_MIN} characters.`, {
        data: { field: 'passphrase' },
      });
    const fresh = await newSeal(passphrase);
    const content: Vault = { databaseKey: held.databaseKey, credentials: { ...held.credentials } };
    await reseal(content, fresh);
    const before = state.mode;
    seal = fresh;
    state = { mode: 'passphrase', locked: false, reason: null };
    if (before === 'keychain') {
      // What the sealed file now holds would only linger in the keychain.
      for (const account of [KEY_ACCOUNT, ...Object.keys(content.credentials).map(credentialAccount)])
        await keychain.remove(account).catch(() => {});
    }
    return 'kept';
  };

  const toKeychain = async (): Promise<'kept' | 'opened'> => {
    if (state.mode === 'passphrase' && state.locked)
      throw new ParapetError('secrets-locked', 'Enter the passphrase of this profile first.');
    const locked = state.locked;
    const key = await keychainKey(locked ? null : held.databaseKey);
    if (state.mode === 'passphrase') {
      await keychain.set(KEY_ACCOUNT, held.databaseKey);
      for (const [id, secret] of Object.entries(held.credentials))
        await keychain.set(credentialAccount(id), secret);
      await rm(sealedPath, { force: true });
      seal = null;
      state = { mode: 'keychain', locked: false, reason: null };
      return 'kept';
    }
    const same = key === held.databaseKey;
    for (const [id, secret] of Object.entries(held.credentials))
      await keychain.set(credentialAccount(id), secret);
    held = { databaseKey: key, credentials: held.credentials };
    state = { mode: 'keychain', locked: false, reason: null };
    return same ? 'kept' : 'opened';
  };

  await start();
  return {
    state: () => state,
    databaseKey: () => held.databaseKey,
    lasting: () => !state.locked && (state.mode === 'keychain' || state.mode === 'passphrase'),
    async credential(connectionId) {
      const known = held.credentials[connectionId];
      if (known !== undefined) return known;
      if (state.mode !== 'keychain' || state.locked) return null;
      const found = await keychain.get(credentialAccount(connectionId));
      if (found !== null) held.credentials[connectionId] = found;
      return found;
    },
    async setCredential(connectionId, credential) {
      const credentials = { ...held.credentials };
      if (credential === null) delete credentials[connectionId];
      else credentials[connectionId] = credential;
      if (state.mode === 'keychain' && !state.locked) {
        if (credential === null) await keychain.remove(credentialAccount(connectionId));
        else await keychain.set(credentialAccount(connectionId), credential);
      }
      if (seal !== null) await reseal({ ...held, credentials }, seal);
      held = { ...held, credentials };
    },
    async choose(mode, passphrase) {
      if (mode === 'passphrase') return toPassphrase(passphrase);
      if (mode === 'keychain') return toKeychain();
      if (!state.locked && (state.mode === 'keychain' || state.mode === 'passphrase'))
        throw new ParapetError(
          'invalid-input',
          'The secrets of this profile are already kept; they stay where they are.',
          {
            data: { field: 'mode' },
          },
        );
      state = { mode: 'run', locked: false, reason: state.reason };
      return 'kept';
    },
  };
}
