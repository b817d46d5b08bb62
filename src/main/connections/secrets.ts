/**
 * Where the database key and the credentials are kept: the keychain, a sealed file, or only in memory.
 * A profile has one home for its secrets. While that home is closed nothing is written to it: a seal is only opened, a
 * keychain only read, and secrets of this run stay in memory. A home is given up only after everything was read back
 * from the new one.
 */
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { AppInfo } from '#shared/bridge/operations.ts';
import { isThere } from '#workers/exists-or-throw.ts';
import type { Keychain } from '../kernel/ports.ts';
import { removeDurable } from '../store/durable.ts';
import { hasSealedFiles, SEALED } from '../store/profile-files.ts';
import { newSeal, openSealed, type Seal, type SealCost, type Vault, writeSealed } from './sealed-file.ts';

type SecretsState = AppInfo['secrets'];

const KEY_ACCOUNT = 'database-key';
const credentialAccount = (connectionId: string) => `credential/${connectionId}`;
const PASSPHRASE_MIN = 8;
const isKey = (text: string | null): text is string => text !== null && /^[0-9a-f]{64}$/.test(text);
const newKey = () => randomBytes(32).toString('hex');
const shortHash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12);

const NO_KEY =
  'The keychain of this machine works, but has no key for this profile: either the keychain or the file profile-id in the profile folder was replaced. Restore the one that belongs to it, or start with another profile folder (--profile). Nothing was changed.';

interface Options {
  keychain: Keychain;
  profile: string;
  readOnly: boolean;
  sealCost?: SealCost | undefined;
}

interface VaultState {
  /** Where this profile's secrets are kept; none: nothing of it lasts. */
  home: 'none' | 'keychain' | 'seal';
  open: boolean;
  /** The analyst chose to continue for this run only. */
  run: boolean;
  reason: string | null;
  held: Vault;
  /** For an open seal; `text` is the file's content as this process last saw it. */
  seal: { seal: Seal; text: string } | null;
  hasHistory: boolean;
}

/** Starts with nothing that lasts; `createSecrets` looks for what the profile has. */
export class Secrets {
  readonly #keychain: Keychain;
  readonly #profile: string;
  readonly #sealedPath: string;
  readonly #readOnly: boolean;
  readonly #sealCost: SealCost | undefined;
  #now: VaultState = {
    home: 'none',
    open: false,
    run: false,
    reason: null,
    held: { databaseKey: newKey(), credentials: {} },
    seal: null,
    hasHistory: false,
  };
  /** The state before the profile's own secrets were opened, for `relock`. */
  #before: VaultState = this.#now;
  /** Serialises changes, since each starts from the result of the one before. */
  #last: Promise<unknown> = Promise.resolve();

  constructor({ keychain, profile, readOnly, sealCost }: Options) {
    this.#keychain = keychain;
    this.#profile = profile;
    this.#sealedPath = join(profile, SEALED);
    this.#readOnly = readOnly;
    this.#sealCost = sealCost;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {});
    return turn;
  }

  #become(change: Partial<VaultState>): void {
    this.#now = { ...this.#now, ...change };
  }

  #openAs(change: Partial<VaultState>): 'opened' {
    this.#before = this.#now;
    this.#become({ ...change, open: true, run: false, reason: null, hasHistory: true });
    return 'opened';
  }

  /** Some keychains accept a secret and lose it, so it is read back. */
  async #keep(account: string, secret: string): Promise<void> {
    if ((await this.#keychain.get(account)) === secret) return;
    await this.#keychain.set(account, secret);
    if ((await this.#keychain.get(account)) !== secret)
      throw new ParapetError(
        'secrets-unavailable',
        'The keychain of this machine does not keep what is stored in it.',
      );
  }

  /** Moves everything into the keychain, the database key last: its presence makes the keychain the profile's home. */
  async #fillKeychain({ databaseKey, credentials }: Vault): Promise<void> {
    for (const [id, secret] of Object.entries(credentials)) await this.#keep(credentialAccount(id), secret);
    const other = await this.#keychain.get(KEY_ACCOUNT);
    // The key of earlier files of this profile, some of which may still exist.
    if (isKey(other) && other !== databaseKey) await this.#keep(`${KEY_ACCOUNT}/${shortHash(other)}`, other);
    await this.#keep(KEY_ACCOUNT, databaseKey);
  }

  /**
   * Finds the profile's home. Rejects only where the profile folder does not say what is in it; failures of the keychain
   * become a state.
   */
  async start(): Promise<void> {
    if (isThere(this.#sealedPath)) {
      this.#become({ home: 'seal', reason: 'Enter the passphrase of this profile.' });
      return;
    }
    const waiting = hasSealedFiles(this.#profile);
    try {
      const key = await this.#keychain.get(KEY_ACCOUNT);
      if (isKey(key)) this.#openAs({ home: 'keychain', held: { databaseKey: key, credentials: {} } });
      // Existing files were written with a key that is missing, so a new one must not be created.
      else if (waiting) this.#become({ home: 'keychain', reason: NO_KEY });
      else {
        await this.#keep(KEY_ACCOUNT, this.#now.held.databaseKey);
        this.#become({ home: 'keychain', open: true });
      }
    } catch (error) {
      this.#become({ home: waiting ? 'keychain' : 'none', reason: toBridgeError(error).message });
    }
  }

  async #reseal(content: Vault, seal: Seal): Promise<{ seal: Seal; text: string }> {
    if (this.#readOnly)
      throw new ParapetError(
        'read-only-profile',
        'The profile folder is not writable, so no secrets can be saved in it.',
      );
    return { seal, text: await writeSealed(this.#sealedPath, seal, content, this.#now.seal?.text ?? null) };
  }

  async #toPassphrase(
    passphrase: string | undefined,
    credentialKeys: readonly string[],
  ): Promise<'kept' | 'opened'> {
    if (passphrase === undefined || passphrase === '')
      throw new ParapetError('invalid-input', 'Enter a passphrase.', { data: { field: 'passphrase' } });
    const { home, open, held } = this.#now;
    if (home === 'seal' && !open) {
      const { seal, content, text } = await openSealed(this.#sealedPath, passphrase);
      return this.#openAs({ seal: { seal, text }, held: content });
    }
    if (home === 'keychain' && !open)
      throw new ParapetError(
        'secrets-locked',
        'This profile keeps its secrets in the keychain, which Parapet cannot open. Unlock it first.',
      );
    if (passphrase.length < PASSPHRASE_MIN)
      throw new ParapetError('invalid-input', `A passphrase needs at least ${PASSPHRASE_MIN} characters.`, {
        data: { field: 'passphrase' },
      });
    const fromKeychain = home === 'keychain';
    const credentials = { ...held.credentials };
    if (fromKeychain)
      for (const id of credentialKeys) {
        const secret = credentials[id] ?? (await this.#keychain.get(credentialAccount(id)));
        if (secret !== null) credentials[id] = secret;
      }
    const content: Vault = { databaseKey: this.#now.held.databaseKey, credentials };
    const seal = await this.#reseal(content, await newSeal(passphrase, this.#sealCost));
    this.#become({ home: 'seal', open: true, run: false, reason: null, held: content, seal });
    // The sealed file was read back completely; copies left in the keychain would only linger.
    if (fromKeychain)
      for (const account of [...Object.keys(credentials).map(credentialAccount), KEY_ACCOUNT])
        await this.#keychain.remove(account).catch(() => {});
    return 'kept';
  }

  async #toKeychain(): Promise<'kept' | 'opened'> {
    const { home, open } = this.#now;
    if (home === 'seal' && !open)
      throw new ParapetError('secrets-locked', 'Enter the passphrase of this profile first.');
    if (home === 'keychain') {
      if (open) return 'kept';
      const key = await this.#keychain.get(KEY_ACCOUNT);
      if (!isKey(key)) throw new ParapetError('secrets-locked', NO_KEY, { retryable: true });
      return this.#openAs({ held: { databaseKey: key, credentials: {} } });
    }
    await this.#fillKeychain(this.#now.held);
    if (home === 'seal') removeDurable(this.#sealedPath);
    this.#become({ home: 'keychain', open: true, run: false, reason: null, seal: null });
    return 'kept';
  }

  state(): SecretsState {
    const { home, open, run, reason } = this.#now;
    if (home === 'none') return { mode: run ? 'run' : 'undecided', locked: false, reason };
    return { mode: home === 'seal' ? 'passphrase' : 'keychain', locked: !open, reason };
  }

  /**
   * Key of the databases, 32 bytes as hex. In modes `run` and `undecided`, and while locked, it lasts for this run
   * only.
   */
  readonly databaseKey = (): string => this.#now.held.databaseKey;

  /** The profile has its own secrets, which are neither unlocked nor set aside for this run. */
  readonly waits = (): boolean => this.#now.home !== 'none' && !this.#now.open && !this.#now.run;

  /** True if the key outlives this run, so the profile may keep files that need it. */
  lasting(): boolean {
    return this.#now.home !== 'none' && this.#now.open;
  }

  /** True if the key is from an earlier run, so files written with it should exist. */
  hasHistory(): boolean {
    return this.#now.hasHistory;
  }

  async credential(connectionId: string): Promise<string | null> {
    const { home, open, held } = this.#now;
    const credential = held.credentials[connectionId];
    if (credential !== undefined) return credential;
    if (home !== 'keychain' || !open) return null;
    const foundCredential = await this.#keychain.get(credentialAccount(connectionId));
    // The credential may have changed or the profile been closed while the keychain was read.
    if (foundCredential !== null && this.#now.held === held)
      this.#become({
        held: { ...held, credentials: { ...held.credentials, [connectionId]: foundCredential } },
      });
    return foundCredential;
  }

  setCredential(connectionId: string, credential: string | null): Promise<void> {
    const change = ({ databaseKey, credentials: { [connectionId]: _, ...rest } }: Vault): Vault => ({
      databaseKey,
      credentials: credential === null ? rest : { ...rest, [connectionId]: credential },
    });
    return this.#inTurn(async () => {
      if (this.#now.home === 'keychain' && this.#now.open) {
        if (credential === null) await this.#keychain.remove(credentialAccount(connectionId));
        else await this.#keep(credentialAccount(connectionId), credential);
      }
      if (this.#now.seal !== null)
        this.#become({ seal: await this.#reseal(change(this.#now.held), this.#now.seal.seal) });
      this.#become({ held: change(this.#now.held) });
    });
  }

  /**
   * Moves the secrets to another home, or unlocks. `credentialKeys` are those that the workspace refers to.
   * Resolves with `kept` (same database key, now lasting or not) or `opened` (another key, that of the profile's
   * existing
   * files). Rejects secrets-unavailable, secrets-locked, invalid-input, read-only-profile, conflict, damaged; then
   * nothing has changed.
   */
  choose(
    mode: 'passphrase' | 'run' | 'keychain',
    passphrase: string | undefined,
    credentialKeys: readonly string[],
  ): Promise<'kept' | 'opened'> {
    return this.#inTurn(async () => {
      if (mode === 'passphrase') return this.#toPassphrase(passphrase, credentialKeys);
      if (mode === 'keychain') return this.#toKeychain();
      if (this.lasting())
        throw new ParapetError(
          'invalid-input',
          'The secrets of this profile are already kept; they stay where they are.',
          { data: { field: 'mode' } },
        );
      this.#become({ run: true });
      return 'kept';
    });
  }

  /** The files did not open with the key that was found: returns to this run's own secrets, locked, for this reason. */
  relock(reason: string): void {
    this.#now = { ...this.#before, home: this.#now.home, open: false, reason };
  }
}

/** Determines how this profile keeps its secrets. Rejects where the profile folder cannot be read. */
export async function createSecrets(options: Options): Promise<Secrets> {
  const secrets = new Secrets(options);
  await secrets.start();
  return secrets;
}
