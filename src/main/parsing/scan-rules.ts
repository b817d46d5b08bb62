/** Files of rules in YARA and MQL, one or a zip with many, read in a thread that can be ended. */
import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js';
import { OWN_LISTS } from '#shared/checks/mql/lists.ts';
import { compileMqlRule, missingWords } from '#shared/checks/mql/rule.ts';
import { MqlError } from '#shared/checks/mql/tokens.ts';
import { plural } from '#shared/model/format.ts';
import {
  RULE_NAME_MAX,
  RULE_SENTENCE_MAX,
  RULE_TEXT_MAX,
  type RuleContent,
  UNRATED,
} from '#shared/rules/rule.ts';
import type { FileRule } from '#shared/rules/rule-file.ts';
import { compileYara, YaraError } from '#workers/yara.ts';

/** Files of a zip that are looked at, and bytes that they unpack to. */
const MAX_FILES = 5_000;
const MAX_UNPACKED = 64 * 1024 * 1024;
/** Names that a note lists. */
const MAX_NAMED = 5;

export interface ScanRuleFile {
  rules: FileRule[];
  notes: string[];
}

interface Source {
  name: string;
  text: string;
}

type Kind = 'yara' | 'mql';
const kindOf = (name: string): Kind | null =>
  /\.yara?$/i.test(name) ? 'yara' : /\.(?:ya?ml|mql)$/i.test(name) ? 'mql' : null;
const isZip = (bytes: Uint8Array): boolean => bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2]! < 8;

const oneLine = (text: string, most: number): string =>
  text
    .replace(/[\s\0]+/g, ' ')
    .trim()
    .slice(0, most);
const stemOf = (name: string): string =>
  oneLine(name.replace(/^.*[\\/]/, '').replace(/\.[^.]{1,8}$/, ''), RULE_NAME_MAX) || 'Rule';

/** What is wrong with a rule, and where; or what it is called and what it cannot do here. Neither throws. */
export interface TextReading {
  reason: string | null;
  line: number | null;
  name: string | null;
  sentence: string | null;
  severity: RuleContent['severity'] | null;
  /** It runs, but without what these words say. */
  lacks: string;
}

const UNNAMED = { name: null, sentence: null, severity: null, lacks: '' };

function readMql(text: string): TextReading {
  try {
    const { rule, program } = compileMqlRule(text, OWN_LISTS);
    const words = missingWords(program);
    const { name, description, severity } = rule;
    const content = { name, sentence: description ?? name, severity };
    if (program.isIdle)
      return { ...content, reason: `${words}.`, line: program.missing[0]?.line ?? null, lacks: '' };
    return { ...content, reason: null, line: null, lacks: words };
  } catch (error) {
    if (!(error instanceof MqlError)) throw error;
    const { line, column } = error.place;
    return { ...UNNAMED, reason: `Line ${line}, column ${column}: ${error.message}.`, line };
  }
}

/** The value of a field in the first rule's `meta`. */
const metaOf = (text: string, field: string): string | null =>
  new RegExp(`^\\s*${field}\\s*=\\s*"((?:[^"\\\\\\n]|\\\\.){1,300})"`, 'im').exec(text)?.[1] ?? null;

function readYara(text: string): TextReading {
  try {
    compileYara(text).free();
    return { ...UNNAMED, sentence: metaOf(text, 'description'), reason: null, line: null };
  } catch (error) {
    if (!(error instanceof YaraError)) throw error;
    return {
      ...UNNAMED,
      reason: error.message,
      line: Number(/^Line (\d+)/.exec(error.message)?.[1]) || null,
    };
  }
}

export const readScanText = (kind: Kind, text: string): TextReading =>
  kind === 'mql' ? readMql(text) : readYara(text);

function ruleOf(kind: Kind, { name: file, text }: Source): ReadRule {
  if (text.length > RULE_TEXT_MAX) {
    const reason = `It has more than ${RULE_TEXT_MAX.toLocaleString('en-GB')} characters.`;
    return { rule: { name: stemOf(file), content: null, reason, line: null, indicators: null }, lacks: '' };
  }
  const { name: ruleName, sentence, severity, reason, line, lacks } = readScanText(kind, text);
  const name = ruleName === null ? stemOf(file) : oneLine(ruleName, RULE_NAME_MAX);
  const content: RuleContent = {
    kind,
    name,
    severity: severity ?? UNRATED,
    sentence:
      oneLine(sentence ?? '', RULE_SENTENCE_MAX) || `Matches the rule “${name}”`.slice(0, RULE_SENTENCE_MAX),
    text,
  };
  return {
    rule: { name, content: reason === null ? content : null, reason, line, indicators: null },
    lacks,
  };
}

const utf8 = (bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
};

/** The files of a zip that are rules or say how they are licensed; the other files are counted. */
async function unzipped(
  bytes: Uint8Array,
): Promise<{ sources: Source[]; licence: string | null; notes: string[] }> {
  const sources: Source[] = [];
  const unread: string[] = [];
  let licence: string | null = null;
  let size = 0;
  const zip = new ZipReader(new Uint8ArrayReader(bytes), { useWebWorkers: false });
  for (const entry of (await zip.getEntries()).slice(0, MAX_FILES)) {
    const isLicence = /(?:^|\/)licen[cs]e(?:\.(?:txt|md))?$/i.test(entry.filename);
    if (entry.directory || (kindOf(entry.filename) === null && !isLicence)) continue;
    size += entry.uncompressedSize;
    const isRead = !entry.encrypted && entry.uncompressedSize <= 4 * RULE_TEXT_MAX && size <= MAX_UNPACKED;
    const text = isRead
      ? await entry
          .getData(new Uint8ArrayWriter())
          .then(utf8)
          .catch(() => null)
      : null;
    if (text === null) unread.push(entry.filename);
    else if (isLicence) licence ??= oneLine(/\S.*/.exec(text)?.[0] ?? '', 120);
    else if (kindOf(entry.filename) === 'yara' || /^source\s*:/m.test(text))
      sources.push({ name: entry.filename, text });
  }
  await zip.close();
  const named = unread.slice(0, MAX_NAMED).join(', ');
  return {
    sources,
    licence,
    notes:
      unread.length === 0
        ? []
        : [
            `${plural(unread.length, 'file')} of the zip could not be read: ${named}${unread.length > MAX_NAMED ? ' and others' : ''}.`,
          ],
  };
}

/** Who wrote the rules and under which licence, as they say themselves. */
function originNotes(sources: readonly Source[], licence: string | null): string[] {
  const valuesOf = (pattern: RegExp) => [
    ...new Set(sources.flatMap(({ text }) => oneLine(pattern.exec(text)?.[1] ?? '', 80) || [])),
  ];
  const authors = valuesOf(/^\s*author\s*=\s*"([^"\n]{1,200})"/im);
  const licences = licence === null ? valuesOf(/^\s*licen[cs]e\s*=\s*"([^"\n]{1,200})"/im) : [licence];
  return [
    ...(authors.length === 0
      ? []
      : [
          `Written by ${authors.slice(0, MAX_NAMED).join(', ')}${authors.length > MAX_NAMED ? ' and others' : ''}.`,
        ]),
    ...(licences.length === 0 ? [] : [`Licence: ${licences.slice(0, MAX_NAMED).join(', ')}.`]),
  ];
}

interface ReadRule {
  rule: FileRule;
  lacks: string;
}

/** Which rules can match only in part, and one example of why. */
export function partlyNotes(read: readonly ReadRule[]): string[] {
  const partly = read.filter(({ lacks }) => lacks !== '');
  const [example] = partly;
  if (example === undefined) return [];
  if (read.length === 1) return [`${example.lacks}.`];
  return [
    `${plural(partly.length, 'rule')} of ${read.length} can match only in part, such as “${example.rule.name}”: ${example.lacks}.`,
  ];
}

/** A rule of a file of Parapet, refused for the same reasons as one in a file of its own. */
export function compiled(rule: FileRule): ReadRule {
  const { content } = rule;
  if (content?.kind !== 'yara' && content?.kind !== 'mql') return { rule, lacks: '' };
  const { reason, lacks } = readScanText(content.kind, content.text);
  if (reason === null) return { rule, lacks };
  return { rule: { ...rule, content: null, reason: `Its text cannot be used. ${reason}` }, lacks };
}

/** Null for a file of another kind. Rules that can be applied come first. */
export async function readScanRules(bytes: Uint8Array, name: string): Promise<ScanRuleFile | null> {
  const kind = kindOf(name);
  const isArchive = kind === null && isZip(bytes);
  if (kind === null && !isArchive) return null;
  const text = isArchive ? null : utf8(bytes);
  if (!isArchive && text === null) return null;
  const zip = isArchive
    ? await unzipped(bytes)
    : { sources: [{ name, text: text ?? '' }], licence: null, notes: [] };
  const read = zip.sources.map((source) => ruleOf(kindOf(source.name) ?? 'mql', source));
  const notes = [...zip.notes, ...originNotes(zip.sources, zip.licence), ...partlyNotes(read)];
  const rules = read.map(({ rule }) => rule);
  return {
    rules: [
      ...rules.filter(({ content }) => content !== null),
      ...rules.filter(({ content }) => content === null),
    ],
    notes,
  };
}
