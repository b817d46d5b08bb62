/**
 * Looking up names. A lookup occupies one of the four threads that Node has for files, the keychain and names, until the
 * resolver answers: many seconds if it does not. A screen opens several connections at once, which would take them all.
 */
import { type LookupAddress, lookup as resolve } from 'node:dns';
import type { LookupFunction } from 'node:net';

export interface Names {
  /** For `net.connect`. A name is looked up once at a time; those who ask meanwhile get the same answer. */
  lookup: LookupFunction;
  /** Whether the resolver has not answered yet for this name. */
  isPending(name: string): boolean;
}

/** Lookups at a time, of different names: two threads stay free. */
const MOST = 2;

type Answer = (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void;

/** `ask`: the system's resolver, which answers with every address of the name. */
export function createNames(
  ask: (name: string, options: { all: true }, answer: Answer) => void = resolve,
): Names {
  const pending = new Map<string, Answer[]>();
  const queue: (() => void)[] = [];
  let running = 0;
  const begin = (): void => {
    while (running < MOST && queue.length > 0) queue.shift()?.();
  };
  const find = (name: string, answer: Answer): void => {
    const waiting = pending.get(name);
    if (waiting !== undefined) return void waiting.push(answer);
    const answers = [answer];
    pending.set(name, answers);
    queue.push(() => {
      running++;
      ask(name, { all: true }, (error, found) => {
        running--;
        pending.delete(name);
        begin();
        for (const one of answers) one(error, found);
      });
    });
    begin();
  };
  return {
    lookup(name, { all, family }, callback) {
      find(name, (error, found) => {
        if (error !== null) return callback(error, '', 0);
        const wanted = family === 4 || family === 6 ? found.filter((one) => one.family === family) : found;
        const [first] = wanted;
        if (first === undefined)
          return callback(Object.assign(new Error('no such address'), { code: 'ENOTFOUND' }), '', 0);
        if (all) callback(null, wanted);
        else callback(null, first.address, first.family);
      });
    },
    isPending: (name) => pending.has(name),
  };
}

/** Those of this process, as its threads for lookups are. */
export const names = createNames();
