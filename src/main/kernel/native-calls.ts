/**
 * What Node's exit waits for: its threads for files, names and libraries, and Workers in a call to the system. It waits for
 * ever if a share or a prompt of the keychain never answers.
 */
let running = 0;

/** Counts a call of a library, or the end of a Worker: Node does not list them itself. */
export function native<T>(call: Promise<T>): Promise<T> {
  running++;
  return call.finally(() => {
    running--;
  });
}

/** Whether something of that kind has not ended yet. */
export const isInNativeCall = (): boolean =>
  running > 0 || process.getActiveResourcesInfo().some((name) => /^(?:FSReq|GetAddrInfo)/.test(name));
