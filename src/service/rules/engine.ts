/** What a kind of rule needs: how its text becomes something that finds mail. */
import type { FindingPlace } from '#shared/checks/check.ts';
import type { RuleKind } from '#shared/rules/rule.ts';
import type { WholeRule } from '../store/rules.ts';
import type { Store } from '../store/store.ts';
import type { Scanner } from './scanner.ts';

export interface RuleHit {
  emailId: number;
  /** Where in the mail, `mail` if nowhere in particular. */
  place: FindingPlace;
  /** Quoted after the sentence of the rule, such as the indicator that matched. */
  detail?: string;
}

export interface PreparedRule {
  /**
   * The hits among these mails, which are at most `CHUNK` and may be gone meanwhile. Bounded in time: rejects or throws
   * `RuleError` if the rule takes too long.
   */
  hits(emailIds: readonly number[]): RuleHit[] | Promise<RuleHit[]>;
  /** Mails of these that it did not look at to their end, with what each is called. */
  unfinished?: ReadonlyMap<number, string>;
  /** What it could not do so far, in words for the analyst. Its hits are right all the same. */
  note?(): string | null;
  close?(): void;
}

export type RuleSource = Pick<WholeRule, 'id' | 'kind' | 'digest' | 'text'>;

export interface RuleEngine {
  kind: RuleKind;
  /**
   * Rejects or throws `RuleError` if the rule cannot be applied. Called again when its digest changes. `scanner` runs rules
   * over the bytes of mails, where there are threads.
   */
  prepare(store: Store, rule: RuleSource, scanner: Scanner | null): PreparedRule | Promise<PreparedRule>;
}

/** Why a rule cannot be applied to this evidence, in words for the analyst. The rule is then marked as failed. */
export class RuleError extends Error {}

/** Mails that a rule checks at once: in a turn of the database thread, which other calls wait for. */
export const CHUNK = 500;

export const WHOLE_MAIL: FindingPlace = { kind: 'mail', name: '', text: '' };
