/** The analyst's rules through the core: kept in the profile, applied to open evidence, as files, and false positives. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { EmailProfile } from '#shared/model/entities.ts';
import type { RuleContent } from '#shared/rules/rule.ts';
import { type Core, memoryKeychain, readAll, startCore, temporaryProfile } from '#tests/support/core.ts';
import { soon } from '#tests/support/soon.ts';

let profile: ReturnType<typeof temporaryProfile>;
let folder: ReturnType<typeof temporaryProfile>;
const cores: Core[] = [];
beforeEach(() => {
  profile = temporaryProfile();
  folder = temporaryProfile();
});
afterEach(async () => {
  await Promise.all(cores.splice(0).map((core) => core.stop()));
  profile.remove();
  folder.remove();
});

const mail = (name: string, subject: string): void =>
  writeFileSync(
    join(folder.path, `${name}.eml`),
    `From: ann@sender.example\r\nTo: bo@corp.example\r\nSubject: ${subject}\r\nDate: Thu, 26 Nov 2026 08:00:00 +0000\r\n\r\nHello\r\n`,
  );

const keychain = memoryKeychain();
/** The file that dialogs choose. */
const FILE = 'rules.json';
async function open(): Promise<{ core: Core; id: string }> {
  const chosen = async () => ({ path: join(profile.path, FILE), name: FILE });
  const core = await startCore({
    profile: profile.path,
    keychain,
    dialogs: { open: chosen, save: chosen },
  });
  cores.push(core);
  await core.app.connect({ kind: 'evidence', path: folder.path });
  const { state } = await core.bridge.call('connections.list', {});
  return { core, id: String(state.connectionId) };
}
const inFront = async (core: Core): Promise<string> =>
  (await core.bridge.call('dialogs.open', { kind: 'rule-file' }))?.grantId ?? '';

const content = (subject: string, more: Partial<RuleContent> = {}): RuleContent => ({
  kind: 'conditions',
  name: `Subject ${subject}`,
  severity: 4,
  sentence: `The subject says ${subject}`,
  text: JSON.stringify({
    operator: 'and',
    conditions: [{ field: 'subject', operator: 'contains_text', values: [subject] }],
  }),
  ...more,
});

async function answerOf(core: Core, connectionId: string, endpoint: string, more = {}): Promise<unknown> {
  const params = endpoint === 'email.profile' ? { params: { saas: 'evidence' } } : {};
  const input = { connectionId, endpoint, ...params, ...more, refresh: true };
  const { snapshots, error } = await readAll(core.bridge, input as Parameters<typeof readAll>[1]);
  if (error !== null) throw error;
  return snapshots.at(-1)?.data;
}
const statesOf = async (core: Core, id: string) =>
  ((await answerOf(core, id, 'evidence.rules')) as { rows: { id: string; hits: number; state: string }[] })
    .rows;
/** Waits until each rule was applied, and returns its hits. */
const hitsOf = (core: Core, id: string, ...hits: number[]) =>
  soon(async () => {
    const states = await statesOf(core, id);
    expect(states.map(({ state }) => state)).toEqual(hits.map(() => 'applied'));
    expect(states.map((state) => state.hits).sort()).toEqual(hits);
  });
async function entityOf(core: Core, connectionId: string): Promise<string> {
  const { rows } = (await answerOf(core, connectionId, 'query.execute', {
    body: {
      query_domain: 'email',
      query_entity_type: 'email',
      saas_id: 'all',
      condition: { operator: 'and', conditions: [{ field: 'subject', operator: 'is', values: ['Invoice'] }] },
      columns: [],
      sort_by: [],
      size: 1,
      include_copies: false,
      count_only: false,
      search_after: null,
    },
  })) as { rows: { entity_id: string }[] };
  return rows[0]?.entity_id ?? '';
}

it('a saved rule is applied to open evidence, to mail that comes, and after a restart', async () => {
  mail('a', 'Invoice');
  mail('b', 'Lunch');
  const { core, id } = await open();
  await core.bridge.call('rules.save', { id: null, content: content('Invoice'), isEnabled: true });
  await hitsOf(core, id, 1);
  await core.stop();
  mail('c', 'Invoice two');
  const again = await open();
  expect((await again.core.bridge.call('rules.list', {})).rules).toMatchObject([{ name: 'Subject Invoice' }]);
  await hitsOf(again.core, again.id, 2);
  const job = await again.core.bridge.call('rules.run', { connectionId: again.id, ids: null });
  expect(job).toMatchObject({ kind: 'rules', state: 'running' });
  await soon(async () =>
    expect((await again.core.bridge.call('jobs.list', {})).jobs).toContainEqual(
      expect.objectContaining({ id: job.id, state: 'done', outcome: { checked: 3 } }),
    ),
  );
});

it.each([
  [
    'indicators',
    'evil.test\nnothing',
    { problem: null, indicators: 1, notes: [expect.stringContaining('Line 2')] },
  ],
  ['indicators', 'nothing', { problem: { message: 'The list holds no indicators.', line: null } }],
  ['yara', 'rule a {\n condition: tru }', { problem: { message: expect.stringContaining('tru'), line: 2 } }],
  ['yara', 'rule a { condition: true }', { problem: null, indicators: null, notes: [] }],
  ['mql', 'name: "x"\nsource: |\n  a b c', { problem: { message: expect.any(String), line: 3 } }],
  ['conditions', '{', { problem: { message: 'Its conditions are not valid JSON.', line: null } }],
] as const)('a text in %s is read before it is saved, %#', async (kind, text, reading) => {
  const { core } = await open();
  const { bridge } = core;
  expect(await bridge.call('rules.check', { kind, text })).toMatchObject(reading);
  const { problem } = reading;
  const saving = bridge.call('rules.save', {
    id: null,
    content: { kind, text, name: 'x', severity: 3, sentence: 'x' },
    isEnabled: false,
  });
  if (problem === null) await saving;
  else await expect(saving).rejects.toMatchObject({ code: 'invalid-input', message: problem.message });
});

it('what a rule would find is counted before it is saved, with progress, and can be cancelled', async () => {
  mail('a', 'Invoice');
  mail('b', 'Lunch');
  const { core, id: connectionId } = await open();
  const { bridge } = core;
  const yara = (word: string) => `rule a { strings: $a = "${word}" condition: $a }`;
  const { id } = await bridge.call('rules.save', {
    id: null,
    content: content('x', { kind: 'yara', text: yara('Invoice') }),
    isEnabled: true,
  });
  await hitsOf(core, connectionId, 1);
  const progress: object[] = [];
  const input = { connectionId, id, kind: 'yara', text: yara('Lunch') } as const;
  expect(await bridge.stream('rules.effect', input, (event) => void progress.push(event))).toEqual({
    ...{ checked: 2, unfinished: 0, finds: 1, more: 1, fewer: 1 },
    notes: [],
  });
  expect(progress).toContainEqual({ done: 2, total: 2 });
  await expect(bridge.stream('rules.effect', { ...input, text: 'rule a {' }, () => {})).rejects.toMatchObject(
    { code: 'invalid-input', message: expect.stringContaining('Line 1') },
  );
  await expect(
    bridge.stream('rules.effect', input, () => {}, { signal: AbortSignal.abort() }),
  ).rejects.toMatchObject({ code: 'cancelled' });
  // The demo is no evidence.
  await expect(
    bridge.stream('rules.effect', { ...input, connectionId: 'other' }, () => {}),
  ).rejects.toMatchObject({ code: 'conflict' });
  await hitsOf(core, connectionId, 1);
});

it('rules go into a file and come from it: disabled, and the same ones are recognised', async () => {
  const { core } = await open();
  const { bridge } = core;
  const saved = await bridge.call('rules.save', { id: null, content: content('Invoice'), isEnabled: true });
  const grant = await bridge.call('dialogs.save', { suggestedName: FILE, kind: 'json' });
  const written = await bridge.call('rules.export', { ids: [saved.id], grantId: grant?.grantId ?? '' });
  expect(written).toMatchObject({ count: 1 });
  const same = await bridge.call('rules.inspect', { grantId: await inFront(core) });
  expect(same.rules).toMatchObject([{ state: 'same', match: saved.id, line: 4 }]);
  await bridge.call('rules.remove', { ids: [saved.id] });
  const { importId, rules } = await bridge.call('rules.inspect', { grantId: await inFront(core) });
  expect(rules).toMatchObject([{ state: 'new', kind: 'conditions', severity: 4 }]);
  const choices = [{ index: 0, isEnabled: false }];
  expect(await bridge.call('rules.import', { importId, choices })).toEqual({ added: 1, replaced: 0 });
  const list = (await bridge.call('rules.list', {})).rules;
  expect(list).toMatchObject([{ name: 'Subject Invoice', isEnabled: false, digest: saved.digest }]);
  await expect(bridge.call('rules.import', { importId, choices })).rejects.toThrow('already imported');
});

it.each([
  ['broken JSON', '{"parapet_rules": 1,\n"rules": [}', 'breaks at line 2, column 11'],
  ['another version', '{"parapet_rules": 7, "rules": [1]}', 'of version 7'],
  ['no rules', '{"parapet_rules": 1, "rules": []}', 'it holds no rules'],
  ['too deep', `{"parapet_rules": 1, "rules": [${'['.repeat(200)}${']'.repeat(200)}]}`, 'nests too deep'],
  ['neither rules nor indicators', 'hello\nworld', 'neither a file of rules nor a list'],
  ['no text', '\xff\xfe', 'not UTF-8'],
])('a file with %s is refused with the reason', async (_, text, words) => {
  const { core } = await open();
  writeFileSync(join(profile.path, FILE), text, 'latin1');
  await expect(core.bridge.call('rules.inspect', { grantId: await inFront(core) })).rejects.toThrow(words);
});

it('of a hostile file each rule that cannot be taken is named with its line, and nothing is taken unasked', async () => {
  const { core } = await open();
  const rules = [
    {
      kind: 'conditions',
      name: 'Fine',
      severity: 3,
      sentence: 'Says so',
      conditions: { operator: 'and', conditions: [{ field: 'subject', operator: 'is', values: ['x'] }] },
    },
    {
      kind: 'conditions',
      name: 'All mail',
      severity: 5,
      sentence: 'Everything',
      conditions: { operator: 'and', conditions: [] },
    },
    { kind: 'program', name: 'Runs', severity: 5, sentence: 'x', text: 'rm' },
    { kind: 'conditions', name: 'Two\nlines', severity: 5, sentence: 'x', conditions: {} },
    {
      kind: 'indicators',
      name: 'Feed',
      severity: 4,
      sentence: 'Listed',
      indicators: ['evil.test', 'nothing'],
    },
    7,
  ];
  writeFileSync(join(profile.path, FILE), JSON.stringify({ parapet_rules: 1, rules }, null, 1));
  const file = await core.bridge.call('rules.inspect', { grantId: await inFront(core) });
  expect(file.rules.map(({ name, state, reason }) => [name, state, reason])).toEqual([
    ['Fine', 'new', null],
    ['All mail', 'invalid', 'It has no condition, and would match every email.'],
    ['Runs', 'invalid', 'Its field “kind” is missing or wrong.'],
    ['Two\nlines', 'invalid', 'Its field “name” is missing or wrong.'],
    ['Feed', 'new', null],
    ['Rule 6 of the file', 'invalid', 'It is not a rule.'],
  ]);
  expect(file.rules[1]?.line).toBe(22);
  expect((await core.bridge.call('rules.list', {})).rules).toEqual([]);
  await expect(
    core.bridge.call('rules.import', { importId: file.importId, choices: [{ index: 1, isEnabled: true }] }),
  ).rejects.toThrow('Rule 2 of the file cannot be imported');
});

it('a list of indicators is a rule whose hits name the indicator', async () => {
  mail('a', 'Invoice');
  const { core, id } = await open();
  writeFileSync(join(profile.path, FILE), 'domain\nsender[.]example\n# note\nelse.example\n');
  const file = await core.bridge.call('rules.inspect', { grantId: await inFront(core) });
  expect(file.rules).toMatchObject([{ name: 'rules', kind: 'indicators', indicators: 2 }]);
  await core.bridge.call('rules.import', {
    importId: file.importId,
    choices: [{ index: 0, isEnabled: true, as: { name: 'Feed A', severity: 5, sentence: 'On feed A' } }],
  });
  await hitsOf(core, id, 1);
  const { provenance, verdict } = (await answerOf(core, id, 'email.profile', {
    query: { entity_id: await entityOf(core, id) },
  })) as EmailProfile;
  expect(verdict).toBe('found');
  expect(provenance?.findings.find(({ tool }) => tool === 'rules')).toMatchObject({
    sentence: 'On feed A (“sender.example”)',
    weight: 8,
  });
});

it('a false positive is journaled and stays visible, struck from the verdict', async () => {
  mail('a', 'Invoice');
  const { core, id } = await open();
  await core.bridge.call('rules.save', {
    id: null,
    content: content('Invoice', { severity: 5 }),
    isEnabled: true,
  });
  await hitsOf(core, id, 1);
  const entity_id = await entityOf(core, id);
  const profileOf = async (of: Core, connection: string) =>
    (await answerOf(of, connection, 'email.profile', { query: { entity_id } })) as EmailProfile;
  const finding = (await profileOf(core, id)).provenance?.findings.find(({ tool }) => tool === 'rules');
  expect(finding?.false_positive).toBe(false);
  const { check = '', place = { kind: '', name: '', text: '' } } = finding ?? {};
  await core.bridge.call('service.send', {
    connectionId: id,
    endpoint: 'evidence.mark',
    body: { entity_id, check, place, false_positive: true },
  });
  const struck = await profileOf(core, id);
  expect(struck.verdict).not.toBe('found');
  expect(struck.provenance?.findings.find(({ tool }) => tool === 'rules')?.false_positive).toBe(true);
  const { entries } = await core.bridge.call('journal.list', { connectionId: id });
  expect(entries).toContainEqual(expect.objectContaining({ endpoint: 'evidence.mark' }));
});
