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
