/**
 * Calls that run in the threads which Node keeps for files, names and libraries. Node's exit waits for these threads: for
 * ever if a share or a prompt of the keychain never answers.
 */
let running = 0;

/** Counts a call of a library, which Node does not list itself. */
export function native<T>(call: Promise<T>): Promise<T> {
  running++;
  return call.finally(() => {
    running--;
  });
}

/** Whether such a call has not returned yet. */
export const isInNativeCall = (): boolean =>
  running > 0 || process.getActiveResourcesInfo().some((name) => /^(?:FSReq|GetAddrInfo)/.test(name));
