/** Files of rules and lists of indicators, read in a thread. */
import { ParapetError } from '#shared/bridge/errors.ts';
import { type FileRule, listContent, readRuleFile } from '#shared/rules/rule-file.ts';
import { ruleDigest } from './rule-digest.ts';
import { readScanRules, readScanText } from './scan-rules.ts';

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
  const rules = file.rules.map((rule) => ({
    ...rule,
    digest: rule.content && ruleDigest(rule.content.kind, rule.content.text),
  }));
  return { rules, notes: file.notes };
}

export interface ListedText {
  text: string;
  count: number;
  digest: string;
}

/** A list as the text of a rule. Rejects `invalid-input`. */
export function inspectList(bytes: Uint8Array): ListedText {
  try {
    const { text, count } = listContent(textOf(bytes, 'The list'));
    return { text, count, digest: ruleDigest('indicators', text) };
  } catch (error) {
    if (error instanceof RangeError) throw new ParapetError('invalid-input', error.message, { cause: error });
    throw error;
  }
}

/** Rejects `invalid-input` with what is wrong with a rule in YARA or MQL, and where; otherwise says what it cannot do here. */
export function inspectText(kind: 'yara' | 'mql', bytes: Uint8Array): { lacks: string } {
  const { reason, lacks } = readScanText(kind, textOf(bytes, 'The rule'));
  if (reason !== null) throw new ParapetError('invalid-input', reason);
  return { lacks };
}
