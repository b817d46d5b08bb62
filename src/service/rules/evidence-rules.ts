/**
 * The analyst's rules over a store of evidence: on every new mail, and on all of it after a rule has changed. All work is
 * done in chunks, between which the database thread has its turn.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RulesReport } from '#shared/embedded.ts';
import {
  RULE_WEIGHTS,
  type RuleEffect,
  type RuleHead,
  type RuleTrial,
  ruleCheckId,
} from '#shared/rules/rule.ts';
import type { HitChange, StoredRule } from '../store/rules.ts';
import type { Store } from '../store/store.ts';
import { CHUNK, type PreparedRule, RuleError, type RuleHit } from './engine.ts';
import { prepareRule } from './engines.ts';
import { storeValues } from './indicators-engine.ts';
import { ruleEffect } from './rule-effect.ts';
import { Scanner } from './scanner.ts';

/** Hits of one rule in one mail that are kept. */
const MOST_HITS = 4;
/** Characters of a detail that the reason quotes. */
const DETAIL_MAX = 160;

export interface RulesDeps {
  store: Store;
  /** The text of a rule of the profile, or null if it is gone. */
  textOf(id: string): Promise<string | null>;
  /** Entry module of the threads, in which rules that need the bytes of mails run; without it they fail. */
  threads?: URL;
  stopped: AbortSignal;
  onProgress?(done: number, total: number): void;
}

export class EvidenceRules {
  readonly #deps: RulesDeps;
  readonly #prepared = new Map<string, { digest: string; rule: PreparedRule }>();
  readonly #scanner: Scanner | null;
  /** The mails of one chunk are checked at a time. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(deps: RulesDeps) {
    this.#deps = deps;
    this.#scanner = deps.threads === undefined ? null : new Scanner(deps.threads);
  }

  /** Takes over the rules of the profile; `run` applies what changed. */
  async adopt(heads: readonly RuleHead[]): Promise<void> {
    const { store, textOf, stopped } = this.#deps;
    const withoutText = new Set(await store.rules.adopt(heads));
    for (const head of heads.filter(({ id }) => withoutText.has(id))) {
      const text = await textOf(head.id);
      if (text === null) continue;
      if (head.kind !== 'indicators') await store.rules.put(head, text);
      else {
        for await (const _ of storeValues(store, head.id, text)) {
          await nextTurn();
          stopped.throwIfAborted();
        }
        await store.rules.put(head, '');
      }
    }
  }

  /** Lets enabled rules, or those with these ids, check all mail at the next `run`. */
  restart(ids: readonly string[] | null): Promise<void> {
    return this.#deps.store.rules.restart(ids);
  }

  hasWork(): Promise<boolean> {
    return this.#deps.store.rules.isAnyPending();
  }

  /** Checks the mails that were read since the last call: with every rule, and against the marks of the analyst. */
  async checkNew(): Promise<void> {
    const { store } = this.#deps;
    const failed = new Map<string, RulesReport['failed'][number]>();
    for (;;) {
      const ids = await store.rules.queued(CHUNK);
      if (ids.length === 0) return;
      const stored = await store.rules.all();
      const rules = stored.filter(({ is_enabled, state }) => is_enabled === 1 && state !== 'failed');
      await this.#check(ids, rules, failed, true);
      for (const rule of rules.filter(({ id, state }) => state === 'applied' && !failed.has(id)))
        if (this.#noteOf(rule) !== rule.reason)
          await store.rules.settle(rule.id, 'applied', this.#noteOf(rule), Date.now());
      await nextTurn();
    }
  }

  /** Applies the rules that changed, or were restarted. Rejects on abort; what was done stays, the rest is done by the next run. */
  async run(signal: AbortSignal): Promise<RulesReport> {
    const { store, onProgress } = this.#deps;
    const failed = new Map<string, RulesReport['failed'][number]>();
    const isDue = ({ state }: StoredRule) => state === 'changed' || state === 'removed';
    for (const rule of (await store.rules.all()).filter(isDue)) {
      const rules = rule.state === 'changed' && rule.is_enabled === 1 ? [rule] : [];
      for (let after = 0; ; ) {
        const ids = await store.rules.mailsWithHits(rule.id, after, CHUNK);
        if (ids.length === 0) break;
        after = ids.at(-1) ?? after;
        await this.#check(ids, rules, failed, false, rule);
        await nextTurn();
        signal.throwIfAborted();
      }
      if (rule.state === 'removed') await this.#forget(rule.id);
      else await this.#settle(rule, failed);
    }
    const pending = (await store.rules.all()).filter(({ state }) => state === 'pending');
    let checked = 0;
    if (pending.length > 0) {
      const total = await store.mails.count();
      for (let after = 0; ; ) {
        const ids = await store.mails.idsAfter(after, CHUNK);
        if (ids.length === 0) break;
        after = ids.at(-1) ?? after;
        await this.#check(ids, pending, failed, false);
        checked += ids.length;
        onProgress?.(checked, Math.max(total, checked));
        await nextTurn();
        signal.throwIfAborted();
      }
      for (const rule of pending) await this.#settle(rule, failed);
    }
    return { checked, failed: [...failed.values()] };
  }

  /** What a rule would find. It has threads of its own, which end with the signal: rules go on being applied. */
  async effect(
    trial: RuleTrial,
    signal: AbortSignal,
    onProgress: (done: number, total: number) => void,
  ): Promise<RuleEffect> {
    const { store, threads } = this.#deps;
    const scanner = threads === undefined ? null : new Scanner(threads);
    const end = () => void scanner?.close();
    signal.addEventListener('abort', end, { once: true });
    try {
      return await ruleEffect(trial, { store, scanner, signal, onProgress });
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', end);
      end();
    }
  }

  close(): void {
    for (const { rule } of this.#prepared.values()) rule.close?.();
    this.#prepared.clear();
    void this.#scanner?.close();
  }

  /** Runs `work` while no mail is being checked: an id must not become that of another mail meanwhile. */
  inTurn<T>(work: () => T | Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  async #forget(id: string): Promise<void> {
    const { store } = this.#deps;
    for await (const _ of storeValues(store, id, '')) await nextTurn();
    await store.rules.forget(id);
  }

  /** A rule that was changed meanwhile stays pending. */
  async #settle(rule: StoredRule, failed: ReadonlyMap<string, { reason: string }>): Promise<void> {
    const { store } = this.#deps;
    const now = await store.rules.find(rule.id);
    const isSame = (['digest', 'is_enabled', 'severity', 'sentence'] as const).every(
      (field) => now?.[field] === rule[field],
    );
    if (now === null || !isSame) return;
    if (now.state === 'removed' || (now.state === 'failed' && rule.state !== 'pending')) return;
    const failure = failed.get(rule.id);
    await store.rules.settle(
      rule.id,
      failure ? 'failed' : 'applied',
      failure?.reason ?? this.#noteOf(rule),
      Date.now(),
    );
  }

  #noteOf({ id }: StoredRule): string | null {
    return this.#prepared.get(id)?.rule.note?.() ?? null;
  }

  async #prepare(rule: StoredRule): Promise<PreparedRule> {
    const before = this.#prepared.get(rule.id);
    if (before?.digest === rule.digest) return before.rule;
    before?.rule.close?.();
    this.#prepared.delete(rule.id);
    const { store } = this.#deps;
    const whole = await store.rules.find(rule.id);
    if (whole === null) throw new RuleError('It was removed meanwhile.');
    const prepared = await prepareRule(store, whole, this.#scanner);
    this.#prepared.set(rule.id, { digest: whole.digest, rule: prepared });
    return prepared;
  }

  /**
   * Replaces the hits of these rules, and of `dropped`, among these mails, and counts the mails again that had or have one.
   * New mails were queued, and may have marks.
   */
  async #check(
    ids: readonly number[],
    rules: readonly StoredRule[],
    failed: Map<string, RulesReport['failed'][number]>,
    isNew: boolean,
    dropped?: StoredRule,
  ): Promise<void> {
    await this.inTurn(async () => {
      const results: { rule: StoredRule; hits: RuleHit[] }[] = [];
      for (const rule of rules) {
        if (failed.has(rule.id)) continue;
        try {
          results.push({ rule, hits: await (await this.#prepare(rule)).hits(ids) });
        } catch (error) {
          if (!(error instanceof RuleError)) throw error;
          failed.set(rule.id, { name: rule.name, reason: error.message });
          await this.#deps.store.rules.settle(rule.id, 'failed', error.message, Date.now());
        }
      }
      await this.#write(ids, results, isNew, dropped);
    });
  }

  async #write(
    ids: readonly number[],
    results: readonly { rule: StoredRule; hits: RuleHit[] }[],
    isNew: boolean,
    dropped?: StoredRule,
  ): Promise<void> {
    const findings: HitChange['findings'][number][] = [];
    for (const { rule, hits } of results) {
      const counts = new Map<number, number>();
      const [check, weight] = [ruleCheckId(rule.id), RULE_WEIGHTS[rule.severity]];
      for (const { emailId, place, detail } of hits) {
        const count = counts.get(emailId) ?? 0;
        if (count >= MOST_HITS) continue;
        counts.set(emailId, count + 1);
        const sentence =
          detail === undefined ? rule.sentence : `${rule.sentence} (“${detail.slice(0, DETAIL_MAX)}”)`;
        findings.push({ emailId, check, sentence, weight, place });
      }
    }
    const checks = [...results.map(({ rule }) => rule), ...(dropped ? [dropped] : [])];
    await this.#deps.store.rules.replaceHits({
      ...{ ids, findings, isNew },
      checks: checks.map(({ id }) => ruleCheckId(id)),
    });
  }
}
