/**
 * The number of this window among the profile's open windows, from 0. Each window has its own tabs, which survive a
 * reload.
 */
const KEY = 'parapet-window';
const MOST_WINDOWS = 32;
/** On reload, the old page releases its number shortly after the new one starts. */
const SAME_AGAIN_MS = 1_500;
let slot = 0;

function take(locks: LockManager, number: number, wait: boolean): Promise<boolean> {
  const acquired = Promise.withResolvers<boolean>();
  const options: LockOptions = wait ? { signal: AbortSignal.timeout(SAME_AGAIN_MS) } : { ifAvailable: true };
  locks
    .request(`${KEY}-${number}`, options, (lock) => {
      acquired.resolve(lock !== null);
      return lock === null ? undefined : new Promise<void>(() => undefined);
    })
    .catch(() => acquired.resolve(false));
  return acquired.promise;
}

/** Called once before the tabs are loaded. Without Web Locks, there is only one window. */
export async function claimWindow(
  locks: LockManager | undefined = navigator.locks,
  storage: Pick<Storage, 'getItem' | 'setItem'> = sessionStorage,
): Promise<void> {
  if (!locks) return;
  const before = storage.getItem(KEY);
  if (before !== null && (await take(locks, Number(before), true))) slot = Number(before);
  else for (slot = 0; slot < MOST_WINDOWS - 1; slot += 1) if (await take(locks, slot, false)) break;
  storage.setItem(KEY, String(slot));
}

/** The name under which this window's own values of `id` are kept; the first window has the plain one. */
export const ofThisWindow = (id: string): string => (slot === 0 ? id : `${id}#${slot + 1}`);
