import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { ownArguments, parseOptions, printInstead } from './options.ts';

/** A path in this system's form: with a drive on Windows. */
const pathOf = (file: string) => path.resolve(file);
const addressOf = (file: string) => pathToFileURL(pathOf(file)).href;
const parse = (...argv: string[]) => parseOptions(argv, pathOf('/home/analyst'));

describe('options', () => {
  test('no options', () => {
    expect(parse()).toEqual({
      ok: true,
      options: { open: true, port: 0, profile: null, connect: null, arrivals: [] },
    });
  });

  test.each([
    [['--no-open'], { open: false }],
    [['--port', '8123'], { port: 8123 }],
    [['--port=0'], { port: 0 }],
    [['--profile', 'cases/one'], { profile: pathOf('/home/analyst/cases/one') }],
    [['--connect', 'demo'], { connect: { kind: 'demo' } }],
    [['--connect', 'none'], { connect: { kind: 'none' } }],
    [['--connect', 'https://mail.example'], { connect: { kind: 'tenant', url: 'https://mail.example' } }],
    [['--connect', 'http://127.0.0.1:81'], { connect: { kind: 'tenant', url: 'http://127.0.0.1:81' } }],
    [['--connect', 'evidence:../mail'], { connect: { kind: 'evidence', path: pathOf('/home/mail') } }],
  ])('%j', (argv, expected) => {
    expect(parse(...argv)).toEqual({ ok: true, options: expect.objectContaining(expected) });
  });

  test.each([
    [['--port', 'eighty'], '--port'],
    [['--port', '65536'], '--port'],
    [['--port', '-1'], '--port'],
    [['--profile', ''], '--profile'],
    [['--connect', 'mail.example'], '--connect'],
    [['--connect', 'ftp://mail.example'], '--connect'],
    [['--connect', 'http://mail.example'], 'https://'],
    [['--connect', 'https://user:secret@mail.example'], 'credential'],
    [['--connect', 'evidence:'], 'path'],
    [['--colour'], '--colour'],
    [['parapet://home', '--connect', 'https://evil.example'], 'before the link'],
    [['--no-open', 'parapet://home', '--', '\\\\evil.example\\share\\b.eml'], 'before the link'],
    [['parapet://home', 'b.eml', 'parapet://settings'], '"b.eml" before the link'],
  ])('refuses %j and says why', (argv, reason) => {
    expect(parse(...argv)).toEqual({ ok: false, reason: expect.stringContaining(reason) });
  });

  test('never repeats a password that was typed into an address', () => {
    expect(JSON.stringify(parse('--connect', 'https://user:hunter2@mail.example'))).not.toContain('hunter2');
  });

  test.each([
    [['--help'], 'help', /^Usage: npm start/],
    [['-h', '--port', 'eighty'], 'help', /^Usage: npm start/],
    [['--version'], 'version', /^Parapet 1\.2\.3\n$/],
  ] as const)('%j is answered without starting', (argv, option, text) => {
    const parsed = parse(...argv);
    expect(parsed).toEqual({ ok: false, option });
    if (!parsed.ok)
      expect(printInstead(parsed, '1.2.3')).toEqual({ text: expect.stringMatching(text), code: 0 });
    expect(ownArguments(['.', ...argv], false)).toEqual(argv);
  });

  test('a refusal shows the usage and has its own exit code', () => {
    const { text, code } = printInstead({ ok: false, reason: 'wrong' }, '1.2.3');
    expect(text).toMatch(/^wrong\n\nUsage: /);
    expect(code).toBe(2);
  });

  test.each([
    ['mail.eml', { kind: 'file', path: pathOf('/home/analyst/mail.eml') }],
    ['../a mail.eml', { kind: 'file', path: pathOf('/home/a mail.eml') }],
    ['/cases/1.mbox', { kind: 'file', path: pathOf('/cases/1.mbox') }],
    [addressOf('/cases/a mail.eml'), { kind: 'file', path: pathOf('/cases/a mail.eml') }],
    [
      addressOf('/cases/1.mbox').replace('file://', 'FILE://localhost'),
      { kind: 'file', path: pathOf('/cases/1.mbox') },
    ],
    ['file://server/share/1.eml', { kind: 'refused', reason: expect.stringContaining('this machine') }],
    ['file:///a%2Fb.eml', { kind: 'refused', reason: expect.stringContaining('this machine') }],
    ['https://mail.example/1.eml', { kind: 'refused', reason: expect.stringContaining('parapet://') }],
    ['parapet://home', { kind: 'link', text: 'parapet://home' }],
    ['PARAPET:anything', { kind: 'link', text: 'PARAPET:anything' }],
  ])('%s is opened', (text, expected) => {
    const parsed = parse('--no-open', text);
    expect(parsed).toMatchObject({ ok: true, options: { open: false, arrivals: [expected] } });
  });

  test('a file whose name looks like an option comes after two hyphens', () => {
    expect(parse('--', '--connect=demo')).toMatchObject({
      ok: true,
      options: { connect: null, arrivals: [{ kind: 'file', path: pathOf('/home/analyst/--connect=demo') }] },
    });
  });

  test('of thousands, the first are opened and the others are counted', () => {
    const parsed = parse(...Array.from({ length: 5000 }, (_, index) => `${index}.eml`));
    const arrivals = parsed.ok ? parsed.options.arrivals : [];
    expect(arrivals).toHaveLength(20);
    expect(arrivals.at(-1)).toEqual({ kind: 'refused', reason: expect.stringMatching(/^4981 more/) });
  });

  test.each([
    ['.', '--no-sandbox', '--profile', '/p', '--inspect=0', '--connect=demo', '--no-open'],
    ['--inspect=0', '.', '--profile', '/p', '--type=x', '--connect=demo', '--no-open', '-psn_0_1'],
  ])("finds our options among Electron's switches", (...argv) => {
    expect(ownArguments(argv, false)).toEqual(['--profile', '/p', '--connect=demo', '--no-open']);
  });

  test.each([
    [
      ['--no-sandbox', 'a.eml', '--ozone-platform=x11', 'b.eml'],
      ['--', 'a.eml', 'b.eml'],
    ],
    [
      ['--profile', '/p', '--', '--connect=demo'],
      ['--profile', '/p', '--', '--connect=demo'],
    ],
    // Only links may follow a link.
    [
      ['--no-open', 'parapet://home', '--connect', 'https://evil.example', '--profile=/p'],
      ['--no-open', '--', 'parapet://home'],
    ],
    [
      ['a.eml', 'parapet://home', '\\\\evil.example\\share\\b.eml', 'b.eml', 'parapet://settings'],
      ['--', 'a.eml', 'parapet://home', 'parapet://settings'],
    ],
  ])('%j of a package opens files and links', (argv, expected) => {
    expect(ownArguments(argv, true)).toEqual(expected);
    expect(parseOptions(ownArguments(argv, true), '/')).toMatchObject({
      ok: true,
      options: { connect: null },
    });
  });
});
