/** Runs rules in MQL over one mail, within bounds. */
import type { FindingPlace } from '../check.ts';
import type { MqlProgram } from './compile.ts';
import type { Work } from './functions.ts';
import type { MqlInput } from './model.ts';
import { UNKNOWN } from './values.ts';

/** Characters that one rule may compare in one mail: some tenths of a second. */
const MAX_WORK = 30_000_000;

class Exhausted extends Error {
  override readonly name = 'Exhausted';
}

/** The lower case of longer texts is remembered, as every rule asks for that of the same ones. */
const REMEMBERED_FROM = 100;
const MAX_REMEMBERED = 2_000;

class Spending implements Work {
  #left = 0;
  readonly #lower = new Map<string, string>();

  begin(): void {
    this.#left = MAX_WORK;
  }

  spend(amount: number): void {
    this.#left -= amount;
    if (this.#left < 0) throw new Exhausted();
  }

  lower(text: string): string {
    if (text.length < REMEMBERED_FROM) return text.toLowerCase();
    let lower = this.#lower.get(text);
    if (lower === undefined) {
      this.spend(text.length);
      lower = text.toLowerCase();
      if (this.#lower.size >= MAX_REMEMBERED) this.#lower.clear();
      this.#lower.set(text, lower);
    }
    return lower;
  }
}

export interface MqlOutcome {
  /** `unfinished`: its work was bounded; `unknown`: it needs what this mail or machine does not tell. */
  outcome: 'hit' | 'none' | 'unknown' | 'unfinished';
  /** Of a hit: where in the mail it is; null: in the mail as a whole. */
  place: FindingPlace | null;
}

const RANK: readonly FindingPlace['kind'][] = ['link', 'attachment', 'body', 'header'];

const closest = (places: readonly FindingPlace[]): FindingPlace | null =>
  places.toSorted((a, b) => RANK.indexOf(a.kind) - RANK.indexOf(b.kind))[0] ?? null;

/** A runner for all rules over one mail after another. */
export function mqlRunner(): (program: MqlProgram, input: MqlInput) => MqlOutcome {
  let last: { input: MqlInput; spending: Spending } | null = null;
  return (program, input) => {
    if (program.isIdle) return { outcome: 'unknown', place: null };
    if (last?.input !== input) last = { input, spending: new Spending() };
    const { spending } = last;
    spending.begin();
    try {
      const { hit, places } = program.run(input, spending);
      if (hit === true) return { outcome: 'hit', place: closest(places) };
      return { outcome: hit === UNKNOWN ? 'unknown' : 'none', place: null };
    } catch (error) {
      if (error instanceof Exhausted) return { outcome: 'unfinished', place: null };
      throw error;
    }
  };
}
