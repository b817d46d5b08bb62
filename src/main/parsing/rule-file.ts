/** Files of rules and lists of indicators, read in a thread. */
import { ParapetError } from '#shared/bridge/errors.ts';
import type { RuleKind } from '#shared/rules/rule.ts';
import { type FileRule, listContent, readRuleFile } from '#shared/rules/rule-file.ts';
import { type InspectedText, refusedText } from './protocol.ts';
import { ruleDigest } from './rule-digest.ts';
import { compiled, partlyNotes, readScanRules, readScanText } from './scan-rules.ts';

export interface InspectedRules {
  /** With the digest of each that can be taken. */
  rules: (FileRule & { digest: string | null })[];
  notes: string[];
}

function textOf(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ParapetError('bad-file', `${name} is not UTF-8 text.`);
  }
}

/** Rejects `bad-file` with what is wrong, and where. */
export async function inspectRules(bytes: Uint8Array, name: string): Promise<InspectedRules> {
  const refuse = (message: string): never => {
    throw new ParapetError('bad-file', `${name} cannot be imported: ${message}`);
  };
  const scanned = await readScanRules(bytes, name).catch((error: unknown) =>
    refuse(`it is damaged: ${error instanceof Error ? error.message : 'it cannot be unpacked'}.`),
  );
  if (scanned?.rules.length === 0) refuse(scanned.notes[0] ?? 'it holds no rules in YARA or MQL.');
  const file = scanned === null ? readRuleFile(textOf(bytes, name), name) : { ok: true as const, ...scanned };
  if (!file.ok) return refuse(file.message);
  const read = scanned === null ? file.rules.map(compiled) : file.rules.map((rule) => ({ rule, lacks: '' }));
  const rules = read.map(({ rule }) => ({
    ...rule,
    digest: rule.content && ruleDigest(rule.content.kind, rule.content.text),
  }));
  return { rules, notes: [...file.notes, ...partlyNotes(read)] };
}

function inspectList(source: string): InspectedText {
  try {
    const { text, count, notes } = listContent(source);
    if (count === 0) return refusedText('The list holds no indicators.');
    return { problem: null, notes, list: { text, count, digest: ruleDigest('indicators', text) } };
  } catch (error) {
    if (error instanceof RangeError) return refusedText(error.message);
    throw error;
  }
}

export function inspectText(kind: Exclude<RuleKind, 'conditions'>, bytes: Uint8Array): InspectedText {
  const text = textOf(bytes, 'The rule');
  if (kind === 'indicators') return inspectList(text);
  const { reason, line, lacks } = readScanText(kind, text);
  if (reason !== null) return refusedText(reason, line);
  return { problem: null, notes: lacks === '' ? [] : [`${lacks}.`], list: null };
}
