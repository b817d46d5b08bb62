/** The OS keychain: Secret Service, macOS Keychain, Windows Credential Manager. */
import { AsyncEntry } from '@napi-rs/keyring';
import { ParapetError } from '#shared/bridge/errors.ts';
import { native } from '../kernel/native-calls.ts';
import type { Keychain } from '../kernel/ports.ts';
import { withLongSecrets } from './long-secrets.ts';

const SERVICE = 'Parapet';
/** A locked keychain prompts the analyst in its own window; without a display it never answers. */
const PROMPT_TIMEOUT_MS = 30_000;
/** Not “blocked”: D-Bus says that the reply may have been blocked when there was none. */
const LOCKED = /\block|prompt|dismiss|abort|cancel|interaction|denied/i;

export const toError = (cause: unknown): ParapetError => {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return LOCKED.test(reason)
    ? new ParapetError('secrets-locked', 'The keychain of this machine is locked. Unlock it and try again.', {
        retryable: true,
        cause,
      })
    : new ParapetError(
        'secrets-unavailable',
        'No keychain answers on this machine. If it has one, start it.',
        { retryable: true, cause },
      );
};

/** A keychain whose entries are scoped to one profile. */
export function createKeychain(profileId: string): Keychain {
  // Without this the library silently falls back to the kernel keyring, which loses the secret at log-out.
  const entry = (account: string) =>
    new AsyncEntry(SERVICE, `${profileId}/${account}`, { linux: { store: 'secret-service' } });

  const guarded = async <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const stuck = Promise.withResolvers<never>();
    const signal = AbortSignal.timeout(PROMPT_TIMEOUT_MS);
    signal.addEventListener('abort', () => stuck.reject(new Error('locked: the prompt was not answered')));
    try {
      return await Promise.race([native(work(signal)), stuck.promise]);
    } catch (error) {
      throw toError(error);
    }
  };

  /**
   * A locked keyring, or a service that has just started without one, simply reports nothing found. Only one that has
   * this marker, or accepts it and returns it, works.
   */
  const answers = async (signal: AbortSignal) => {
    const marker = entry('answers');
    if ((await marker.getPassword(signal)) != null) return;
    await marker.setPassword('yes', signal);
    if ((await marker.getPassword(signal)) == null) throw new Error('it does not keep what is stored in it');
  };

  const keychain: Keychain = {
    get: (account) =>
      guarded(async (signal) => {
        const password = await entry(account).getPassword(signal);
        if (password == null) await answers(signal);
        return password ?? null;
      }),
    set: (account, secret) => guarded((signal) => entry(account).setPassword(secret, signal)),
    remove: (account) =>
      guarded(async (signal) => {
        if (!(await entry(account).deletePassword(signal))) await answers(signal);
      }),
  };
  return process.platform === 'win32' ? withLongSecrets(keychain) : keychain;
}
