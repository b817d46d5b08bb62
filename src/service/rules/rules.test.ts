/** Rules of the analyst over evidence: on import, on what is here, after a change, and against hostile ones. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { RuleHead } from '#shared/rules/rule.ts';
import { listContent } from '#shared/rules/rule-file.ts';
import { openEvidence } from '../evidence/source.ts';
import { ingestEvidence } from '../import/ingest-evidence.ts';
import { execute } from '../query/execute.ts';
import { markFinding } from '../store-sqlite/recount.ts';
import { ruleStates } from '../store-sqlite/rules.ts';
import type { SqliteStore } from '../store-sqlite/sqlite-store.ts';
import { EvidenceRules } from './evidence-rules.ts';

let folder: string;
let store: SqliteStore;
let rules: EvidenceRules;
const texts = new Map<string, string>();
const never = new AbortController().signal;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-rules-'));
  mkdirSync(join(folder, 'mail'));
  store = openEvidence({ path: ':memory:' });
  texts.clear();
  rules = new EvidenceRules({ store, stopped: never, textOf: async (id) => texts.get(id) ?? null });
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

function mail(
  name: string,
  { from = 'ann@sender.example', subject = 'Lunch', body = 'See you at noon.' } = {},
): void {
  writeFileSync(
    join(folder, 'mail', `${name}.eml`),
    `From: ${from}\r\nTo: bo@corp.example\r\nSubject: ${subject}\r\nMessage-ID: <${name}@sender.example>\r\nDate: Thu, 26 Nov 2026 08:00:00 +0000\r\n\r\n${body}\r\n`,
  );
}

const read = () => ingestEvidence(store, join(folder, 'mail'), { rules });

let digests = 0;
function head(id: string, text: string, more: Partial<RuleHead> = {}): RuleHead {
  texts.set(id, text);
  return {
    id,
    kind: 'conditions',
    name: `Rule ${id}`,
    severity: 4,
    sentence: `Sentence ${id}`,
    isEnabled: true,
    digest: String(digests++),
    size: text.length,
    indicators: null,
    changedAt: 0,
    ...more,
  };
}
const tree = (field: string, operator: string, ...values: (string | number)[]) => ({
  operator: 'and',
  conditions: [{ field, operator, values }],
});
const subjectHas = (text: string): string => JSON.stringify(tree('subject', 'contains_text', text));

async function apply(...heads: RuleHead[]) {
  await rules.adopt(heads);
  return rules.run(never);
}

interface Row {
  subject: string;
  sentence: string;
  weight: number;
  place_kind: string;
  place_name: string;
  place_text: string;
}
const hits = (check: string): Row[] =>
  store.db
    .prepare<unknown[], Row>(
      `SELECT e.subject, f.sentence, f.weight, f.place_kind, f.place_name, f.place_text
       FROM findings f JOIN emails e ON e.id = f.email_id WHERE f.check_id = ? ORDER BY e.subject`,
    )
    .all(check);
const subjects = (id: string): string[] => hits(`rule.${id}`).map(({ subject }) => subject);
const email = (subject: string) =>
  store.db
    .prepare<unknown[], { id: number; entity_id: string; score: number; verdict: string; stack: string }>(
      'SELECT id, entity_id, score, verdict, stack FROM emails WHERE subject = ?',
    )
    .get(subject) ?? { id: 0, entity_id: '', score: 0, verdict: '', stack: '' };

it('finds what is here and each new mail, with its sentence, place and weight', async () => {
  mail('a', { subject: 'Invoice overdue' });
  mail('b', { subject: 'Lunch' });
  await read();
  const before = email('Invoice overdue').score;
  await apply(head('r', subjectHas('invoice')));
  expect(hits('rule.r')).toEqual([
    {
      subject: 'Invoice overdue',
      sentence: 'Sentence r',
      weight: 4.5,
      place_kind: 'header',
      place_name: 'Subject',
      place_text: 'invoice',
    },
  ]);
  const after = email('Invoice overdue');
  expect(after.score).toBeCloseTo(before + 4.5, 5);
  expect(after.verdict).toBe('suspicious');
  expect(after.stack).toContain('check_rules:suspicious');
  expect(email('Lunch').verdict).not.toBe('suspicious');
  mail('c', { subject: 'Second invoice' });
  mail('d', { subject: 'Involve us' });
  await read();
  expect(subjects('r')).toEqual(['Invoice overdue', 'Second invoice']);
  expect(ruleStates(store)).toMatchObject([{ id: 'r', state: 'applied', hits: 2, false_positives: 0 }]);
});

it('the rules of one import give what a run over all mail gives', async () => {
  const all = [
    head('subject', subjectHas('offer')),
    head('body', JSON.stringify(tree('body', 'contains_words', 'gift', 'card'))),
    head('header', JSON.stringify(tree('headers', 'starts_with', 'Message-ID: <m1'))),
    head('link', JSON.stringify(tree('link_domains', 'is', 'evil.test'))),
    head('none', JSON.stringify(tree('attachment_names', 'ends_with', '.exe'))),
    head(
      'either',
      JSON.stringify({
        operator: 'or',
        conditions: [
          tree('subject', 'is', 'Offer 3'),
          { ...tree('recipients', 'is', 'bo@corp.example'), negate: true },
        ],
      }),
    ),
  ];
  for (let n = 0; n < 40; n++)
    mail(`m${n}`, {
      subject: n % 3 === 0 ? `Offer ${n}` : `Note ${n}`,
      body: n % 4 === 0 ? 'Buy a gift card at https://evil.test/x now' : 'Nothing to see',
    });
  await rules.adopt(all);
  await read();
  const imported = all.map(({ id }) => subjects(id));
  expect(imported.map((list) => list.length)).toEqual([14, 10, 11, 10, 0, 1]);
  await rules.restart(null);
  await rules.run(never);
  expect(all.map(({ id }) => subjects(id))).toEqual(imported);
  // As the query that the rule was made of.
  for (const { id } of all) {
    const { total_rows } = await execute(
      {
        query_domain: 'email',
        query_entity_type: 'email',
        saas_id: 'all',
        include_copies: false,
        condition: JSON.parse(texts.get(id) ?? ''),
        columns: [],
        sort_by: [],
        size: 0,
        count_only: true,
        search_after: null,
      },
      { store, saas: ['evidence'], now: Date.now() },
    );
    expect(subjects(id), id).toHaveLength(Number(total_rows));
  }
});

it('a disabled, deleted or reworded rule takes its hits along, and the score with them', async () => {
  mail('a', { subject: 'Invoice overdue' });
  await read();
  const { score, verdict } = email('Invoice overdue');
  const rule = head('r', subjectHas('invoice'));
  await apply(rule);
  await apply({ ...rule, severity: 5, sentence: 'Other words' });
  expect(hits('rule.r')).toMatchObject([{ sentence: 'Other words', weight: 8 }]);
  expect(email('Invoice overdue').verdict).toBe('found');
  await apply({ ...rule, isEnabled: false });
  expect(subjects('r')).toEqual([]);
  expect(email('Invoice overdue')).toMatchObject({ score, verdict });
  await apply(rule);
  expect(subjects('r')).toEqual(['Invoice overdue']);
  await apply();
  expect([subjects('r'), ruleStates(store)]).toEqual([[], []]);
  expect(email('Invoice overdue')).toMatchObject({ score, verdict });
});

it('an edited rule has the hits of its new conditions alone', async () => {
  mail('a', { subject: 'Invoice overdue' });
  mail('b', { subject: 'Parcel' });
  await read();
  await apply(head('r', subjectHas('invoice')));
  await apply(head('r', subjectHas('parcel')));
  expect(subjects('r')).toEqual(['Parcel']);
});

it.each([
  ['a field that rules change', JSON.stringify(tree('score', 'greater_than', 3)), 'can’t depend on “Score”'],
  [
    'the hits of another rule',
    JSON.stringify(tree('findings', 'contains_any', 'rule.other')),
    'hits of another rule',
  ],
  ['an unknown field', JSON.stringify(tree('moon', 'is', 'full')), 'Unknown field: moon'],
  ['no condition', JSON.stringify({ operator: 'and', conditions: [] }), 'would match every email'],
  ['no JSON', '{', 'not valid JSON'],
  ['a pattern without an end', JSON.stringify(tree('subject', 'matches', '(a')), 'subject: '],
])('a rule with %s is told as failed, and others go on', async (_, text, words) => {
  mail('a', { subject: 'Invoice overdue' });
  await read();
  const report = await apply(head('bad', text), head('other', subjectHas('invoice')));
  expect(report.failed).toMatchObject([{ name: 'Rule bad', reason: expect.stringContaining(words) }]);
  expect(ruleStates(store)).toMatchObject([
    { id: 'bad', state: 'failed' },
    { id: 'other', state: 'applied', hits: 1 },
  ]);
  // It does not stop an import either.
  mail('b', { subject: 'Invoice two' });
  await read();
  expect(subjects('other')).toEqual(['Invoice overdue', 'Invoice two']);
});

it('a catastrophic pattern does not hold up the service', async () => {
  mail('a', { subject: `${'a'.repeat(900)}!`, body: 'a'.repeat(200_000) });
  await read();
  const began = performance.now();
  await apply(
    head('subject', JSON.stringify(tree('subject', 'matches', '^(a+)+$'))),
    head('body', JSON.stringify(tree('body', 'matches', '(a|aa)*(a|aa)*b'))),
  );
  expect(performance.now() - began).toBeLessThan(15_000);
  expect(subjects('subject')).toEqual([]);
});

it('a false positive stays, struck from score and reasons, also when the mail is read again', async () => {
  mail('a', { subject: 'Invoice overdue' });
  await read();
  const before = email('Invoice overdue');
  await apply(head('r', subjectHas('invoice')));
  const mark = {
    entityId: before.entity_id,
    check: 'rule.r',
    place: { kind: 'header', name: 'Subject', text: 'invoice' },
  };
  const by = { now: 1, by: 'ann' };
  expect(markFinding(store, { ...mark, check: 'rule.x' }, true, by)).toBe(false);
  expect(markFinding(store, mark, true, by)).toBe(true);
  expect(email('Invoice overdue')).toMatchObject({ score: before.score, verdict: before.verdict });
  expect(subjects('r')).toHaveLength(1);
  expect(ruleStates(store)).toMatchObject([{ hits: 1, false_positives: 1 }]);
  // Read again by a later version of the reader, and by the rule.
  store.db.exec(
    "UPDATE evidence_messages SET reader = '0'; UPDATE meta SET value = '0' WHERE key = 'reader'",
  );
  expect((await read()).imported).toBe(1);
  expect(email('Invoice overdue').score).toBe(before.score);
  await rules.restart(null);
  await rules.run(never);
  expect(ruleStates(store)).toMatchObject([{ hits: 1, false_positives: 1 }]);
  markFinding(store, mark, false, by);
  expect(email('Invoice overdue').score).toBeCloseTo(before.score + 4.5, 5);
});

it('a list matches hashes, hosts and what is under them, addresses and URLs, and nothing that is only like them', async () => {
  mail('a', { from: 'x@sub.evil.test', subject: 'sender' });
  mail('b', { subject: 'host', body: 'https://deep.evil.test/a' });
  mail('c', { subject: 'url', body: 'http://other.example/path?q=1' });
  mail('d', { subject: 'address', from: 'Bad.Guy@shop.example' });
  mail('e', {
    subject: 'near',
    from: 'guy@shop.example',
    body: 'https://notevil.test/ http://other.example/path?q=2',
  });
  await read();
  const { text, count, notes } = listContent(
    '# feed\nevil[.]test\nhxxp://other.example/path?q=1,comment\nbad.guy@shop.example\n10.0.0.0/8\n',
  );
  expect([count, notes]).toEqual([3, [expect.stringContaining('Line 5: A network')]]);
  await apply(head('l', text, { kind: 'indicators', sentence: 'On the list “feed”' }));
  expect(hits('rule.l').map(({ subject, sentence, place_kind }) => [subject, sentence, place_kind])).toEqual([
    ['address', 'On the list “feed” (“bad.guy@shop.example”)', 'header'],
    ['host', 'On the list “feed” (“evil.test”)', 'link'],
    ['sender', 'On the list “feed” (“evil.test”)', 'header'],
    ['url', 'On the list “feed” (“http://other.example/path?q=1”)', 'link'],
  ]);
  await apply(head('l', 'domain gone.test', { kind: 'indicators' }));
  expect(subjects('l')).toEqual([]);
  await apply();
  expect(store.db.prepare('SELECT count(*) FROM rule_values').pluck().get()).toBe(0);
});

it('an email with two hits that are false positives counts once, as the rows of the field do', async () => {
  mail('a', { body: 'See http://evil.test/a and http://other.test/b' });
  await read();
  await apply(head('l', 'domain evil.test\ndomain other.test', { kind: 'indicators' }));
  const places = hits('rule.l');
  expect(places).toHaveLength(2);
  const { entity_id: entityId } = email('Lunch');
  for (const { place_kind: kind, place_name: name, place_text: text } of places)
    markFinding(store, { entityId, check: 'rule.l', place: { kind, name, text } }, true, {
      now: 1,
      by: null,
    });
  expect(ruleStates(store)).toMatchObject([{ hits: 1, false_positives: 1 }]);
});

it('the text of a rule is read when it is prepared, not for each batch of mail', async () => {
  mail('a', { subject: 'Invoice overdue' });
  await read();
  await rules.adopt([head('r', subjectHas('invoice')), head('off', subjectHas('x'), { isEnabled: false })]);
  expect((await store.rules.all()).map((rule) => Object.keys(rule))).not.toContainEqual(
    expect.arrayContaining(['text']),
  );
  await rules.run(never);
  const find = vi.spyOn(store.rules, 'find');
  mail('b', { subject: 'Second invoice' });
  await read();
  mail('c', { subject: 'Third invoice' });
  await read();
  expect(subjects('r')).toHaveLength(3);
  expect(find).not.toHaveBeenCalled();
});

it('what an edited list would find is counted beside the saved one, and nothing is stored', async () => {
  mail('a', { from: 'x@old.test' });
  mail('b', { from: 'x@both.test' });
  mail('c', { from: 'x@new.test', subject: 'Second' });
  mail('d', { from: 'y@new.test' });
  await read();
  const saved = head('l', 'domain old.test\ndomain both.test', { kind: 'indicators' });
  await apply(saved);
  const before = [subjects('l'), ruleStates(store)];
  const progress: number[][] = [];
  const trial = { kind: 'indicators', text: 'domain both.test\ndomain new.test', digest: 'x' } as const;
  expect(
    await rules.effect({ ...trial, saved }, never, (done, total) => void progress.push([done, total])),
  ).toEqual({ checked: 4, unfinished: 0, finds: 3, more: 2, fewer: 1, notes: [] });
  expect(progress).toEqual([
    [0, 4],
    [4, 4],
  ]);
  expect(await rules.effect({ ...trial, saved: null }, never, () => {})).toMatchObject({
    finds: 3,
    more: null,
    fewer: null,
  });
  // The profile has another text than the one that was applied here.
  expect(
    await rules.effect({ ...trial, saved: { id: 'l', digest: 'later' } }, never, () => {}),
  ).toMatchObject({
    more: null,
    notes: [expect.stringContaining('not compared')],
  });
  expect([subjects('l'), ruleStates(store)]).toEqual(before);
  await expect(
    rules.effect({ ...trial, saved: null }, AbortSignal.abort(new Error('stop')), () => {}),
  ).rejects.toThrow('stop');
});

it('a cancelled run is finished by the next one', async () => {
  for (let n = 0; n < 3; n++) mail(`m${n}`, { subject: `Invoice ${n}` });
  await read();
  await rules.adopt([head('r', subjectHas('invoice'))]);
  await expect(rules.run(AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
  expect(ruleStates(store)).toMatchObject([{ state: 'pending' }]);
  expect(await rules.hasWork()).toBe(true);
  await rules.run(never);
  expect(ruleStates(store)).toMatchObject([{ state: 'applied', hits: 3 }]);
});
