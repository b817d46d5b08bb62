/**
 * Files and links that the system hands to Parapet. They wait here until a window asks for them, one at a time, so that
 * none is lost before there is a window and none can flood it.
 */
import { dirname } from 'node:path';
import { z } from 'zod';
import { LINK_MAX, parseLink } from '#shared/bridge/link.ts';
import type { AppEvent, Offer } from '#shared/bridge/operations.ts';
import type { HandlersIn } from '../kernel/handlers.ts';

const PATH_MAX = 32_767;
/** Handed over by a second start to the running Parapet. */
export const arrival = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('file'), path: z.string().min(1).max(PATH_MAX) }),
  z.object({ kind: z.literal('link'), text: z.string().max(LINK_MAX + 1) }),
  z.object({ kind: z.literal('refused'), reason: z.string().max(1000) }),
]);
export type Arrival = z.infer<typeof arrival>;

/** Items beyond this limit are counted and not kept. */
export const ARRIVALS_MAX = 20;
/** Links open tabs without asking, so more than a person would follow are ignored. */
const LINKS_MAX = 5;
const LINKS_WITHIN_MS = 10_000;

interface Deps {
  publish(event: AppEvent): void;
  ticks(): number;
  /** The kind of a path, and a grant for it. Reads nothing of the file. */
  offer(path: string): Promise<Offer>;
}

export class Arrivals {
  readonly #deps: Deps;
  #waiting: Arrival[] = [];
  #links: number[] = [];
  #leftOut = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  add(arrived: readonly Arrival[]): void {
    if (arrived.length === 0) return;
    for (const arrival of arrived)
      if (this.#waiting.length < ARRIVALS_MAX && (arrival.kind !== 'link' || this.#mayFollow()))
        this.#waiting.push(arrival);
      else this.#leftOut += 1;
    this.#deps.publish({ type: 'arrived' });
  }

  #mayFollow(): boolean {
    const now = this.#deps.ticks();
    this.#links = this.#links.filter((time) => now - time < LINKS_WITHIN_MS);
    if (this.#links.length >= LINKS_MAX) return false;
    this.#links.push(now);
    return true;
  }

  readonly handlers: HandlersIn<'arrivals'> = {
    'arrivals.next': async () => {
      const leftOut = this.#leftOut;
      this.#leftOut = 0;
      const next = this.#waiting.shift();
      if (next === undefined) return { arrival: null, leftOut };
      if (next.kind === 'file')
        return {
          arrival: { kind: 'offer', offer: await this.#deps.offer(next.path), folder: dirname(next.path) },
          leftOut,
        };
      if (next.kind === 'refused') return { arrival: next, leftOut };
      const parsed = parseLink(next.text);
      return {
        arrival: parsed.ok ? { kind: 'link', link: parsed.link } : { kind: 'refused', reason: parsed.reason },
        leftOut,
      };
    },
  };
}
