/** Rules in YARA and MQL over evidence: on what is here, on new mail, and what the rule says it could not do. */
import { mkdtempSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RuleHead } from '#shared/rules/rule.ts';
import { openEvidence } from '../evidence/source.ts';
import { ingestEvidence } from '../import/ingest-evidence.ts';
import { ruleStates } from '../store-sqlite/rules.ts';
import type { SqliteStore } from '../store-sqlite/sqlite-store.ts';
import { EvidenceRules } from './evidence-rules.ts';

let folder: string;
let store: SqliteStore;
let rules: EvidenceRules;
const texts = new Map<string, string>();
const never = new AbortController().signal;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-scan-'));
  store = openEvidence({ path: ':memory:' });
  texts.clear();
  rules = new EvidenceRules({
    store,
    stopped: never,
    textOf: async (id) => texts.get(id) ?? null,
    threads: new URL('../worker.ts', import.meta.url),
  });
});
afterEach(() => {
  rules.close();
  store.close();
  rmSync(folder, { recursive: true });
});

const mail = (name: string, body: string, from = 'ann@sender.example'): void =>
  writeFileSync(
    join(folder, `${name}.eml`),
    `From: ${from}\r\nTo: bo@corp.example\r\nSubject: ${name}\r\nMessage-ID: <${name}@sender.example>\r\n\r\n${body}\r\n`,
  );
const read = () => ingestEvidence(store, folder, { rules });

const head = (kind: 'yara' | 'mql', text: string): RuleHead => {
  texts.set(kind, text);
  return {
    id: kind,
    kind,
    name: kind,
    severity: 4,
    sentence: `Sentence of ${kind}`,
    isEnabled: true,
    digest: text,
    size: text.length,
    indicators: null,
    changedAt: 0,
  };
};

const hits = () =>
  store.db
    .prepare<unknown[], Record<string, string>>(
      `SELECT e.subject, f.check_id AS rule, f.sentence, f.place_kind AS kind, f.place_name AS name
       FROM findings f JOIN emails e ON e.id = f.email_id WHERE f.check_id LIKE 'rule.%' ORDER BY e.subject, rule`,
    )
    .all();
const stateOf = (id: string) => ruleStates(store).find((state) => state.id === id);

it('finds what is here and new mail, with the place', async () => {
  mail('a', 'Look: https://evil.example/pay and a needle');
  mail('b', 'Nothing');
  await read();
  await rules.adopt([
    head('yara', 'rule Needle { strings: $a = "needle" condition: $a }'),
    head('mql', 'type.inbound and any(body.links, .href_url.domain.domain == "evil.example")'),
  ]);
  await rules.run(never);
  const inA = [
    {
      subject: 'a',
      rule: 'rule.mql',
      sentence: 'Sentence of mql',
      kind: 'link',
      name: 'https://evil.example/pay',
    },
    { subject: 'a', rule: 'rule.yara', kind: 'mail', name: '' },
  ];
  expect(hits()).toMatchObject(inA);
  expect(hits()[1]?.['sentence']).toMatch(/^Sentence of yara \(“Needle: \$a at byte \d+”\)$/);
  expect(stateOf('mql')).toMatchObject({ state: 'applied', reason: null, hits: 1 });
  mail('c', 'Another needle');
  await read();
  expect(hits()).toMatchObject([...inA, { subject: 'c', rule: 'rule.yara' }]);
});

it('says what a rule could not do, and keeps its hits', async () => {
  mail('a', 'needle');
  mail('b', 'needle');
  await read();
  unlinkSync(join(folder, 'b.eml'));
  await rules.adopt([
    head('yara', 'rule Needle { strings: $a = "needle" condition: $a }'),
    head('mql', 'subject.subject == "a" or network.whois(sender.email.domain).days_old < 3'),
  ]);
  await rules.run(never);
  expect(hits().map(({ subject, rule }) => `${subject} ${rule}`)).toEqual(['a rule.mql', 'a rule.yara']);
  expect(stateOf('yara')?.reason).toMatch(/^Not finished on 1 email, such as “b”/);
  expect(stateOf('mql')?.reason).toMatch(
    /^Matches only in part. Needs the network \(network.whois\). Not finished on 1 email/,
  );
  expect(stateOf('yara')?.state).toBe('applied');
});

it('marks a rule that cannot be read as failed, with the line, and applies the others', async () => {
  mail('a', 'needle');
  await read();
  await rules.adopt([head('yara', 'rule Needle {\n condition: $a }'), head('mql', 'subject.subject == "a"')]);
  const { failed } = await rules.run(never);
  expect(failed).toMatchObject([
    { name: 'yara', reason: expect.stringMatching(/^Line 2, column 13: unknown pattern/) },
  ]);
  expect(stateOf('yara')).toMatchObject({ state: 'failed' });
  expect(hits()).toMatchObject([{ rule: 'rule.mql' }]);
});

it('takes a domain to which much of the mail goes for the case’s own, and no free mailer', async () => {
  for (const name of ['a', 'b', 'c']) mail(name, 'x');
  mail('d', 'x', 'boss@corp.example');
  await read();
  await rules.adopt([head('mql', 'not type.inbound and sender.email.domain.domain in $org_domains')]);
  await rules.run(never);
  expect(hits()).toMatchObject([{ subject: 'd' }]);
});

const needle = (word: string) => `rule Needle { strings: $a = "${word}" condition: $a }`;
const trialOf = (kind: 'yara' | 'mql', text: string, saved: RuleHead | null = null) => ({
  kind,
  text,
  digest: text,
  saved,
});

it('an edit in YARA and MQL is counted beside the saved rule, without the mails that it did not finish', async () => {
  mail('a', 'old');
  mail('b', 'old and new');
  mail('c', 'new');
  mail('d', 'new');
  mail('e', 'new');
  await read();
  unlinkSync(join(folder, 'e.eml'));
  const saved = [head('yara', needle('old')), head('mql', 'subject.subject in ("a", "b")')];
  await rules.adopt(saved);
  await rules.run(never);
  const [yara, mql] = saved as [RuleHead, RuleHead];
  const before = hits();
  const count = (trial: Parameters<EvidenceRules['effect']>[0]) => rules.effect(trial, never, () => {});
  const figures = { checked: 4, unfinished: 1, finds: 3, more: 2, fewer: 1 };
  const notes = [expect.stringMatching(/Not finished on 1 email, such as “e”.*[^.][.]$/)];
  expect(await count(trialOf('yara', needle('new'), yara))).toEqual({ ...figures, notes });
  expect(await count(trialOf('mql', 'subject.subject in ("b", "c", "d", "e")', mql))).toEqual({
    ...figures,
    notes,
  });
  expect(await count(trialOf('yara', needle('old'), yara))).toMatchObject({ finds: 2, more: 0, fewer: 0 });
  await expect(count(trialOf('yara', 'rule Needle {\n condition: $a }', yara))).rejects.toThrow(/^Line 2/);
  expect(hits()).toEqual(before);
});

it('beside a saved rule that fails, an edit is counted alone and says so', async () => {
  mail('a', 'needle');
  await read();
  const broken = head('yara', 'rule Needle {\n condition: $a }');
  await rules.adopt([broken]);
  await rules.run(never);
  expect(await rules.effect(trialOf('yara', needle('needle'), broken), never, () => {})).toMatchObject({
    finds: 1,
    more: null,
    fewer: null,
    notes: [expect.stringMatching(/^Not compared, as the saved rule fails: Line 2/)],
  });
});

it('a cancelled count ends at once, whatever the rule does', async () => {
  mail('a', 'x'.repeat(200_000));
  await read();
  const abort = new AbortController();
  const endless = 'rule Slow { strings: $a = "x" condition: $a and for all i in (1..100000000) : (i > 0) }';
  const counting = rules.effect(trialOf('yara', endless), abort.signal, () => {
    setTimeout(() => abort.abort(new Error('cancelled')), 300);
  });
  const began = performance.now();
  await expect(counting).rejects.toThrow('cancelled');
  expect(performance.now() - began).toBeLessThan(10_000);
});
