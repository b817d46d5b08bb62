/** Files of rules in YARA and MQL: what is taken, what is refused and why, and hostile files. */
import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js';
import { describe, expect, it } from 'vitest';
import { inspectRules } from './rule-file.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const MQL =
  'name: "Odd sender"\ndescription: |\n  Two\n  lines\nseverity: "high"\nsource: |\n  sender.display_name == "x"\n';
const YARA =
  'rule one {\n meta:\n  author = "Ann"\n  description = "A word"\n strings: $a = "x"\n condition: $a\n}\n';

async function zip(files: Readonly<Record<string, string>>, password?: string): Promise<Uint8Array> {
  const writer = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false });
  for (const [name, text] of Object.entries(files))
    await writer.add(name, new Uint8ArrayReader(bytes(text)), password === undefined ? {} : { password });
  return writer.close();
}

describe('one rule', () => {
  it('in MQL brings its name, severity and sentence', async () => {
    const { rules } = await inspectRules(bytes(MQL), 'odd.yml');
    expect(rules).toMatchObject([
      {
        name: 'Odd sender',
        reason: null,
        content: { kind: 'mql', severity: 4, sentence: 'Two lines', text: MQL },
      },
    ]);
    expect(rules[0]?.digest).toMatch(/^[0-9a-f]{64}$/);
  });

  it('in YARA is named after its file, and says who wrote it', async () => {
    const { rules, notes } = await inspectRules(bytes(YARA), 'words.yar');
    expect(rules).toMatchObject([
      { name: 'words', content: { kind: 'yara', sentence: 'A word', text: YARA } },
    ]);
    expect(notes).toEqual(['Written by Ann.']);
  });

  it.each([
    ['a.yml', MQL.replace('== "x"', '== ('), 8, /^Line 8, column \d+: /],
    ['a.yar', YARA.replace('condition: $a', 'condition: $b'), 6, /^Line 6, column \d+: unknown pattern/],
    [
      'a.yml',
      MQL.replace('sender.display_name == "x"', 'profile.by_sender().solicited'),
      7,
      /^Never matches here. Needs the earlier mail/,
    ],
    ['a.yar', ' '.repeat(1_100_000), null, /more than 1,048,576 characters/],
    ['a.yml', `source: |\n  ${'('.repeat(1_000)}`, 2, /nested/],
  ])('%s is refused with line and reason', async (name, text, line, reason) => {
    const { rules } = await inspectRules(bytes(text), name);
    expect(rules).toMatchObject([{ content: null, line }]);
    expect(rules[0]?.reason).toMatch(reason);
  });

  it('in a file of Parapet is refused for the same reasons, before it is imported', async () => {
    const item = (kind: string, name: string, text: string) => ({
      kind,
      name,
      severity: 4,
      sentence: 'x',
      text,
    });
    const file = {
      parapet_rules: 1,
      rules: [
        item('yara', 'good', YARA),
        item('yara', 'broken', 'rule {'),
        item('mql', 'idle', MQL.replace('sender.display_name == "x"', 'profile.by_sender().solicited')),
        item(
          'mql',
          'partly',
          MQL.replace('== "x"', '== "x" or network.whois(sender.email.domain).days_old < 3'),
        ),
      ],
    };
    const { rules, notes } = await inspectRules(bytes(JSON.stringify(file)), 'rules.json');
    expect(rules.map(({ name, reason }) => [name, reason])).toEqual([
      ['good', null],
      ['broken', expect.stringMatching(/^Its text cannot be used. Line 1, column 6: /)],
      ['idle', expect.stringMatching(/^Its text cannot be used. Never matches here/)],
      ['partly', null],
    ]);
    expect(rules.map(({ content, digest }) => [content === null, digest === null])).toEqual([
      [false, false],
      [true, true],
      [true, true],
      [false, false],
    ]);
    expect(notes).toEqual([expect.stringMatching(/^1 rule of 4 can match only in part, such as “partly”: /)]);
  });

  it('that runs only in part says without what', async () => {
    const text = MQL.replace('== "x"', '== "x" or network.whois(sender.email.domain).days_old < 3');
    const { rules, notes } = await inspectRules(bytes(text), 'a.yml');
    expect(rules[0]?.content).not.toBeNull();
    expect(notes).toEqual(['Matches only in part. Needs the network (network.whois).']);
  });
});

describe('a zip of rules', () => {
  it('lists those that can be applied first, the others with the reason, and the licence', async () => {
    const archive = await zip({
      'rules-main/LICENSE': 'MIT License\n\nCopyright…',
      'rules-main/README.md': '# Rules',
      'rules-main/.github/workflow.yml': 'on: push\n',
      'rules-main/a-broken.yml': 'name: B\nsource: "a and"\n',
      'rules-main/b.yml': MQL,
      'rules-main/c.yar': YARA,
    });
    const { rules, notes } = await inspectRules(archive, 'rules.zip');
    expect(rules.map(({ name, content }) => [name, content?.kind ?? null])).toEqual([
      ['Odd sender', 'mql'],
      ['c', 'yara'],
      ['a-broken', null],
    ]);
    expect(notes).toEqual(['Written by Ann.', 'Licence: MIT License.']);
  });

  it('tells which files it could not read', async () => {
    const { rules, notes } = await inspectRules(await zip({ 'a.yar': YARA }, 'secret'), 'r.zip').catch(
      (error: Error) => ({ rules: [], notes: [error.message] }),
    );
    expect(rules).toEqual([]);
    expect(notes.join()).toMatch(/1 file of the zip could not be read: a.yar/);
  });

  it('refuses a bomb and a damaged one', async () => {
    const bomb = await zip({ 'a.yar': ' '.repeat(50 * 1024 * 1024) });
    await expect(inspectRules(bomb, 'bomb.zip')).rejects.toMatchObject({ code: 'bad-file' });
    await expect(inspectRules(bomb.subarray(0, 200), 'cut.zip')).rejects.toMatchObject({ code: 'bad-file' });
  });
});
