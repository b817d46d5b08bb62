/**
 * Looking up names. A lookup occupies one of the four threads that Node has for files, the keychain and names, until the
 * resolver answers: many seconds if it does not. A screen opens several connections at once, which would take them all.
 */
import { type LookupAddress, lookup as resolve } from 'node:dns';
import type { LookupFunction } from 'node:net';

export interface Names {
  /** For `net.connect`. Those who ask for a name while it is looked up get the same answer. */
  lookup: LookupFunction;
  /** Whether the resolver has not answered yet for this name. */
  isPending(name: string): boolean;
}

/** Lookups at a time: two threads stay free. */
const MOST = 2;
/** An older lookup is repeated, as the network may be back since: resolvers give up only after ten seconds and more. */
const FRESH_MS = 2_000;

type Answer = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

interface Lookup {
  name: string;
  began: number;
  /** Of those who wait for it. */
  answers: Answer[];
}

/** `ask` is the system's resolver, which answers with every address of the name; `now` is a monotonic clock. */
export function createNames(
  ask: (name: string, options: { all: true }, answer: Answer) => void = resolve,
  now: () => number = () => performance.now(),
): Names {
  const running = new Set<Lookup>();
  const queue: Lookup[] = [];
  const of = (name: string) => [...running, ...queue].filter((lookup) => lookup.name === name);
  const begin = (): void => {
    while (running.size < MOST) {
      const next = queue.shift();
      if (next === undefined) return;
      run(next);
    }
  };
  const run = (lookup: Lookup): void => {
    running.add(lookup);
    lookup.began = now();
    ask(lookup.name, { all: true }, (error, addresses) => {
      // An address serves also those who wait for an earlier or later lookup of the name; a failure only its own.
      const served = error === null ? of(lookup.name) : [lookup];
      running.delete(lookup);
      const answers = served.flatMap((lookup) => lookup.answers.splice(0));
      for (const lookup of served) if (queue.includes(lookup)) queue.splice(queue.indexOf(lookup), 1);
      begin();
      for (const answer of answers) answer(error, addresses);
    });
  };
  const find = (name: string, answer: Answer): void => {
    const newest = of(name).at(-1);
    const isShared = newest !== undefined && (now() - newest.began < FRESH_MS || running.size >= MOST);
    if (isShared) return void newest.answers.push(answer);
    queue.push({ name, began: now(), answers: [answer] });
    begin();
  };
  return {
    lookup(name, { all, family }, callback) {
      find(name, (error, addresses) => {
        if (error !== null) return callback(error, '', 0);
        const wantedAddresses =
          family === 4 || family === 6 ? addresses.filter((address) => address.family === family) : addresses;
        const [first] = wantedAddresses;
        if (first === undefined)
          return callback(Object.assign(new Error('no such address'), { code: 'ENOTFOUND' }), '', 0);
        if (all) callback(null, wantedAddresses);
        else callback(null, first.address, first.family);
      });
    },
    isPending: (name) => of(name).some(({ answers }) => answers.length > 0),
  };
}

/** Those of this process, as its threads for lookups are. */
export const names = createNames();
