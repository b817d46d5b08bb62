import type { Bridge } from '#shared/bridge/bridge.ts';
import type { BridgeError } from '#shared/bridge/errors.ts';

type Fake = (...args: never[]) => unknown;

/** A bridge for tests that answers only what the test under way asks. */
export const fakeBridge = (parts: { call?: Fake; stream?: Fake }): Bridge => parts as unknown as Bridge;

/**
 * A bridge that responds to reads at once with `dataOf(request)`, as if from the service. `error`: the reason why the
 * response is an older one.
 */
export const answering = <R>(dataOf: (request: R) => object, error: BridgeError | null = null): Bridge =>
  fakeBridge({
    call: () => new Promise(() => {}),
    stream: async (_: string, request: R, onSnapshot: (snapshot: object) => void) =>
      onSnapshot({
        data: dataOf(request),
        freshness: { source: 'network', fetchedAt: 1, offline: false },
        error,
        revalidating: false,
      }),
  });
