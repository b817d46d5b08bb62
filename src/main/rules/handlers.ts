/** Rules of the analyst: changing them, and their files. */
import { randomUUID } from 'node:crypto';
import { ParapetError } from '#shared/bridge/errors.ts';
import type { Job, OutputOf, PlannedRule } from '#shared/bridge/operations.ts';
import {
  RULE_TEXT_MAX,
  type RuleContent,
  type RuleEffect,
  type RuleHead,
  type RuleTrial,
} from '#shared/rules/rule.ts';
import { RULE_FILE_MAX, textProblem, writeRuleFile } from '#shared/rules/rule-file.ts';
import type { TrialOptions } from '../embedded/rule-trials.ts';
import { writeWithManifest } from '../files/whole-file.ts';
import type { Context } from '../kernel/context.ts';
import type { HandlersIn } from '../kernel/handlers.ts';
import { redeemForClear } from '../kernel/policy.ts';
import { parseInThread } from '../parsing/client.ts';
import { type InspectedText, refusedText } from '../parsing/protocol.ts';
import { ruleDigest } from '../parsing/rule-digest.ts';
import type { InspectedRules } from '../parsing/rule-file.ts';
import { readCapped } from '../queries-file/read.ts';
import type { NewRule, RuleBook } from './rule-book.ts';

const FILES_KEPT = 2;

interface Deps {
  ctx: Context;
  book: RuleBook;
  /** Applies rules to all mail of a connection's evidence. Rejects `conflict` if it is not open evidence. */
  run(connectionId: string, ids: readonly string[] | null): Job;
  /** Counts what a rule would find. Rejects in the same way, and `invalid-input` if the rule cannot be applied. */
  tryRule(connectionId: string, trial: RuleTrial, options: TrialOptions): Promise<RuleEffect>;
}

export function createRuleHandlers({ ctx, book, run, tryRule }: Deps): HandlersIn<'rules'> {
  /** Inspected files, oldest first. */
  const inspected = new Map<string, InspectedRules['rules']>();

  /** Everything about a text that can be told without evidence. */
  async function inspectedText(
    content: Pick<RuleContent, 'kind' | 'text'>,
    signal: AbortSignal,
  ): Promise<InspectedText> {
    const { kind, text } = content;
    const problem = textProblem(content);
    if (problem !== null) return refusedText(problem);
    if (kind === 'conditions') return { problem: null, notes: [], list: null };
    const task = { kind: 'rule-text', of: kind, bytes: new TextEncoder().encode(text) } as const;
    return (await parseInThread(ctx.ports.workers.parsing, task, { signal })) as InspectedText;
  }

  async function ruleOf(
    { id, content, isEnabled }: Pick<NewRule, 'id' | 'content' | 'isEnabled'>,
    signal: AbortSignal,
  ): Promise<NewRule> {
    const { problem, list } = await inspectedText(content, signal);
    if (problem !== null) throw new ParapetError('invalid-input', problem.message);
    if (list === null)
      return { id, content, isEnabled, indicators: null, digest: ruleDigest(content.kind, content.text) };
    const { text, count: indicators, digest } = list;
    return { id, content: { ...content, text }, isEnabled, indicators, digest };
  }

  const plan = (
    { name, content, reason, line, indicators, digest }: InspectedRules['rules'][number],
    index: number,
  ): PlannedRule => {
    const match = content && book.like(content);
    const isSame =
      match?.digest === digest &&
      match?.severity === content?.severity &&
      match?.sentence === content?.sentence;
    const state = content === null ? 'invalid' : match === null ? 'new' : isSame ? 'same' : 'changed';
    return {
      index,
      name,
      kind: content?.kind ?? null,
      severity: content?.severity ?? null,
      sentence: content?.sentence ?? null,
      state,
      match: match?.id ?? null,
      line,
      reason,
      indicators,
    };
  };

  return {
    'rules.list': async () => ({ rules: book.list() }),

    async 'rules.get'({ id }) {
      const rule = book.get(id);
      const text = (await book.text(id, RULE_TEXT_MAX)) ?? '';
      return { rule, text, isWhole: text.length >= rule.size };
    },

    async 'rules.save'({ id, content, isEnabled }, { signal }) {
      const { text, ...rest } = content;
      if (id !== null) book.get(id);
      if (text !== null) {
        const [head] = await book.put([await ruleOf({ id, content: { ...rest, text }, isEnabled }, signal)]);
        if (head === undefined) throw new TypeError('A rule was put without a head');
        return head;
      }
      if (id === null) throw new ParapetError('invalid-input', 'A new rule needs a text.');
      const head: RuleHead = { ...book.get(id), ...rest, isEnabled, changedAt: ctx.ports.now() };
      await book.update([head]);
      return head;
    },

    async 'rules.enable'({ ids, isEnabled }) {
      await book.update(ids.map((id) => ({ ...book.get(id), isEnabled })));
      return {};
    },

    async 'rules.remove'({ ids }) {
      await book.remove(ids);
      return {};
    },

    async 'rules.check'(content, { signal }) {
      const { problem, notes, list } = await inspectedText(content, signal);
      return { problem, notes, indicators: list?.count ?? null };
    },

    async 'rules.effect'({ connectionId, id, kind, text }, { signal, emit }) {
      const { problem, list } = await inspectedText({ kind, text }, signal);
      if (problem !== null) throw new ParapetError('invalid-input', problem.message);
      const source = list ?? { text, digest: ruleDigest(kind, text) };
      const trial = {
        kind,
        text: source.text,
        digest: source.digest,
        saved: id === null ? null : book.get(id),
      };
      return tryRule(connectionId, trial, {
        signal,
        onProgress: (done, total) => void emit({ done, total }),
      });
    },

    'rules.run': async ({ connectionId, ids }) => run(connectionId, ids),

    async 'rules.inspect'({ grantId }, { signal }) {
      const chosen = ctx.grants.redeem(grantId);
      const { name } = chosen;
      const bytes = await readCapped(chosen, RULE_FILE_MAX, 'a file of rules or indicators').finally(() =>
        chosen.release?.(),
      );
      const file = (await parseInThread(
        ctx.ports.workers.parsing,
        { kind: 'rule-file', bytes, name },
        { signal },
      )) as InspectedRules;
      const importId = randomUUID();
      inspected.set(importId, file.rules);
      for (const old of [...inspected.keys()].slice(0, -FILES_KEPT)) inspected.delete(old);
      return { importId, name, rules: file.rules.map(plan), notes: file.notes };
    },

    async 'rules.import'({ importId, choices }): Promise<OutputOf<'rules.import'>> {
      const rules = inspected.get(importId);
      if (rules === undefined)
        throw new ParapetError(
          'not-found',
          'This file was already imported, or others were chosen since. Choose it again.',
        );
      const chosen = choices.map(({ index, isEnabled, as }): NewRule => {
        const rule = rules[index];
        if (!rule?.content || rule.digest === null)
          throw new ParapetError('invalid-input', `Rule ${index + 1} of the file cannot be imported.`);
        const content = { ...rule.content, ...as };
        const { indicators, digest } = rule;
        return { id: book.like(content)?.id ?? null, content, isEnabled, indicators, digest };
      });
      await book.put(chosen);
      inspected.delete(importId);
      const replaced = chosen.filter(({ id }) => id !== null).length;
      return { added: chosen.length - replaced, replaced };
    },

    async 'rules.export'({ ids, grantId }) {
      const chosen = redeemForClear(ctx, grantId);
      const contents: RuleContent[] = [];
      for (const id of ids) contents.push({ ...book.get(id), text: (await book.text(id)) ?? '' });
      const bytes = new TextEncoder().encode(writeRuleFile(contents));
      const name = await writeWithManifest(ctx, chosen, bytes, {
        what: 'Rules of Parapet',
        entries: contents.length,
        connection: null,
      });
      return { name, count: contents.length, bytes: bytes.length };
    },
  };
}
