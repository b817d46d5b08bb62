import type { Bridge } from '#shared/bridge/bridge.ts';

/** A bridge whose reads are answered at once, as the service's; `dataOf`: the answer to a request. */
export const answering = <R>(dataOf: (request: R) => object): Bridge =>
  ({
    call: () => new Promise(() => {}),
    stream: async (_: string, request: R, told: (snapshot: object) => void) =>
      told({
        data: dataOf(request),
        freshness: { source: 'network', fetchedAt: 1, offline: false },
        error: null,
        revalidating: false,
      }),
  }) as unknown as Bridge;
