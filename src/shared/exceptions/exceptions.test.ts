import { describe, expect, it } from 'vitest';
import { expectLinear } from '#tests/support/growth.ts';
import { SECURITY_TOOLS } from '../model/enums.ts';
import { FEATURE_FLAGS } from '../model/flags.ts';
import { lintRule, tooBroad } from './lint.ts';
import { covers, type MatchSubject, matcherOf } from './match.ts';
import { pastedRows } from './paste.ts';
import { ruleQuery } from './query.ts';
import { type ExceptionRule, exceptionOf, listOf, type RuleCondition, ruleOf } from './rule.ts';
import { exceptionFields, exceptionTypes, type Matching } from './types.ts';
import { tidyValue, validateRule } from './validate.ts';

const readPaste = (...args: Parameters<typeof pastedRows>) => [...pastedRows(...args)];

const ON = Object.fromEntries(FEATURE_FLAGS.map(({ name }) => [name, true]));
const MD5 = 'd41d8cd98f00b204e9800998ecf8427e';
const SHA256 = 'a'.repeat(64);
const rule = (
  field: string,
  value: string,
  matching: Matching = 'exact',
  type = 'blacklist',
): ExceptionRule => ({
  tool: 'ap_{product}',
  type,
  list: type === 'blacklist' ? 'block' : 'allow',
  conditions: [{ field, matching, value }],
});
const codes = (of: ExceptionRule, flags = ON) => validateRule(of, flags).map(({ code }) => code);
const tool = (id: string, type: string, field: string, value: string): ExceptionRule => ({
  tool: id,
  type,
  list: 'allow',
  conditions: [{ field, matching: 'exact', value }],
});

describe('types and fields', () => {
  it('[spec 5] exist for every tool of the specification; a flag hides the extended ones', () => {
    for (const id of SECURITY_TOOLS) {
      const all = exceptionTypes(id, ON);
      const few = exceptionTypes(id, {});
      expect(all.types.length).toBeGreaterThan(0);
      expect(all.hidden).toBe(0);
      expect(few.types.length + few.hidden).toBe(all.types.length);
      for (const type of all.types) expect(exceptionFields(type, ON)).toHaveLength(type.fields.length);
    }
    expect(exceptionTypes('nobody', ON).types).toEqual([]);
    expect(exceptionTypes('__proto__', ON).types).toEqual([]);
  });
});

describe('validation', () => {
  it.each([
    ['MD5 alone', tool('checkpoint_te', 'hash', 'hash', SHA256), {}, ['invalidMd5']],
    ['both by flag', tool('checkpoint_te', 'hash', 'hash', SHA256), { sha256_exceptions: true }, []],
    [
      'neither fits',
      tool('checkpoint_te', 'hash', 'hash', 'x'),
      { sha256_exceptions: true },
      ['invalidMd5OrSha256'],
    ],
    ['SHA-256 alone', tool('ms_defender', 'hash', 'hash', MD5), {}, ['invalidSha256']],
    ['any case', tool('checkpoint_te', 'hash', 'hash', MD5.toUpperCase()), {}, []],
  ])('checks hashes by tool and flag: %s', (_, of, flags, expected) => {
    expect(codes(of, flags as Record<string, boolean>)).toEqual(expected);
  });

  it.each([
    [rule('from_email', 'a@b.example'), []],
    [rule('from_email', '@b.example'), ['invalidEmail']],
    [rule('from_email', 'b.example'), ['invalidEmail']],
    [rule('from_domain', 'a@b.example'), ['invalidDomain']],
    [rule('from_domain', '@b.example'), []],
    [rule('from_domain', 'no dots', 'contains'), ['invalidDomain']],
    [rule('from_domain', 'nodots'), ['invalidDomain']],
    [rule('from_domain', 'corp.local'), []],
    [rule('from_email', 'a@corp.local'), []],
    [rule('from_email', '*@evil.com'), ['invalidEmail']],
    [rule('client_ip', '010.0.0.1', 'matching'), ['invalidNetwork']],
    [rule('client_ip', '192.0.2.0/33', 'matching'), ['invalidNetwork']],
    [rule('client_ip', '2001:db8::/32', 'matching'), []],
    [rule('links', 'javascript:alert(1)', 'exact'), ['invalidUrl']],
    [rule('links', 'https://b.example/x', 'exact'), []],
    [rule('subject', '\u0000', 'contains'), ['controlCharacter']],
    [rule('subject', 'x'.repeat(5_000), 'contains'), ['tooLong']],
    [rule('subject', ' ', 'contains'), ['required']],
    [rule('subject', 'x', 'ends_with'), ['unknownMatching']],
    [rule('hasOwnProperty', 'x'), ['unknownField']],
    [{ ...rule('subject', 'x'), type: 'x' }, ['unknownType']],
    [{ ...rule('subject', 'x'), tool: 'x' }, ['unknownTool']],
  ])('%#: %j', (of, expected) => expect(codes(of as ExceptionRule)).toEqual(expected));

  it('[spec 5] says that a flag hides a type or a field', () => {
    expect(codes(rule('subject', 'x', 'contains', 'spam_whitelist'), {})).toEqual(['hiddenType']);
    expect(codes(rule('nickname', 'x'), {})).toEqual(['hiddenField']);
  });

  it('checks every additional condition and the comment', () => {
    const two: ExceptionRule = {
      ...rule('from_domain', 'b.example'),
      conditions: [
        { field: 'from_domain', matching: 'exact', value: 'b.example' },
        { field: 'md5', matching: 'exact', value: SHA256.slice(1) },
      ],
    };
    expect(validateRule(two, ON, 'x'.repeat(1_001)).map(({ field }) => field)).toEqual([
      'and.0.string',
      'comment',
    ]);
  });

  it('normalises values for storing', () => {
    expect(tidyValue('md5', ` ${MD5.toUpperCase()} `)).toBe(MD5);
    expect(tidyValue('from_domain', '@B.Example')).toBe('b.example');
    expect(tidyValue('file_type', '.DOCM')).toBe('docm');
    expect(tidyValue('subject', ' Zwei  Wörter ')).toBe('Zwei  Wörter');
  });
});

describe('the wire', () => {
  it('[spec 3] keeps every field between the editor and the service', () => {
    const of: ExceptionRule = {
      ...rule('from_domain', 'b.example', 'ends_with'),
      conditions: [
        { field: 'from_domain', matching: 'ends_with', value: 'b.example' },
        { field: 'md5', matching: 'exact', value: MD5 },
      ],
    };
    expect(ruleOf(of.tool, exceptionOf(of))).toEqual(of);
  });

  it('reads entries of other clients: no payload, unknown types, a named list', () => {
    expect(ruleOf('checkpoint_te', { type: 'hash', string: MD5, list: 'allow' })?.list).toBe('allow');
    expect(ruleOf('checkpoint_te', { type: 'ml_bypass', string: 'score<0.2' })).toBeNull();
    expect(listOf('other', { type: 'blacklist' })).toBe('block');
    expect(ruleOf('ap_{product}', { type: 'blacklist', string: 'x', payload: { field: 'x' } })).toBeNull();
    expect(ruleOf('ap_{product}', { type: 'blacklist', string: 'x', payload: { and: [null] } })).toBeNull();
  });
});

describe('the list of an entry', () => {
  it.each([
    [{ type: 'hash', list: 'block' }, 'block'],
    [{ type: 'hash', list: 'Blacklist', payload: { list: 'allow' } }, 'block'],
    [{ type: 'hash', payload: { list: 'block' } }, 'block'],
    [{ type: 'url_whitelist' }, 'allow'],
    [{ type: 'hash', list: 'third' }, null],
    [{ type: 'hash' }, null],
  ])('%j: %j', (entry, list) => {
    expect(listOf('checkpoint_te', entry)).toBe(list);
    const rule = ruleOf('checkpoint_te', { ...entry, type: 'hash', string: MD5 });
    if (entry.type === 'hash') expect(rule?.list ?? null).toBe(list);
  });
});

describe('a pasted column', () => {
  const defaults = {
    tool: 'ap_{product}',
    type: 'blacklist',
    list: 'block',
    field: 'from_domain',
    matching: 'ends_with',
  } as const;

  it('[promise] accepts the valid rows of 10 000 with every kind of mistake, and keeps the rest with their reasons', () => {
    const mistakes = [
      ['a@b.example', 'invalidDomain'],
      ['no dots', 'invalidDomain'],
      ['-.example', 'invalidDomain'],
      ['x'.repeat(3_000), 'tooLong'],
      ['bad\u0007bell.example', 'controlCharacter'],
      ['site0.example', 'duplicate'],
      ['SITE0.example', 'duplicate'],
      ['"site0[.]example"', 'duplicate'],
      ['=cmd|calc', 'invalidDomain'],
      ['\u202eelpmaxe.b', 'invalidDomain'],
    ] as const;
    const lines = Array.from({ length: 10_000 }, (_, n) =>
      n % 10 === 9
        ? (mistakes[((n / 10) % mistakes.length) | 0]?.[0] ?? '')
        : `site${n}[.]example\tnote ${n}`,
    );
    const rows = readPaste(lines.join('\r\n'), defaults, ON);
    expect(rows).toHaveLength(10_000);
    const good = rows.filter(({ rule: of }) => of !== null);
    expect(good).toHaveLength(9_000);
    expect(good[1]).toMatchObject({ line: 2, value: 'site1.example', comment: 'note 1', errors: [] });
    for (const [n, { line, errors }] of rows.filter(({ rule: of }) => of === null).entries()) {
      expect(line).toBe(n * 10 + 10);
      expect(errors.map(({ code }) => code)).toContain(mistakes[n % mistakes.length]?.[1]);
      expect(errors.every(({ message }) => message.length > 10)).toBe(true);
    }
  });

  it('skips empty lines and unquotes spreadsheet cells', () => {
    const rows = readPaste('\n  \n"a.example"\t"said ""no"""\n', defaults, ON);
    expect(rows).toMatchObject([{ line: 3, value: 'a.example', comment: 'said "no"' }]);
  });

  it('[promise] strips the decoration that other programs copy with indicators', () => {
    const of = (field: string, text: string) =>
      readPaste(text, { ...defaults, field, matching: 'exact' }, ON).map(({ value }) => value);
    expect(of('from_email', 'Ann <a@b.example>\tnote\r\nmailto:c@b.example\r\n\u200ed@b.example')).toEqual([
      'a@b.example',
      'c@b.example',
      'd@b.example',
    ]);
    expect(of('from_domain', '\u201cb.example\u201d\nc\u200b.example')).toEqual(['b.example', 'c.example']);
    expect(of('md5', `MD5: ${MD5}\u00a0`)).toEqual([MD5]);
    expect(of('subject', '\u201cInvoice\u201d')).toEqual(['\u201cInvoice\u201d']);
  });

  it('[bad input] keeps a cell with line breaks or tabs together, as spreadsheets copy it', () => {
    const text = { ...defaults, field: 'subject', matching: 'contains' } as const;
    const rows = readPaste(
      'a\t"first\r\nsecond"\t\t\r\n"two\nlines"\r\n"a\tb"\tc\r\n"open\r\n"said" so\r\nlast\t\t',
      text,
      ON,
    );
    expect(rows.map(({ line, value, comment }) => [line, value, comment])).toEqual([
      [1, 'a', 'first second'],
      [3, 'two\nlines', null],
      [5, 'a\tb', 'c'],
      // An unclosed quote is an ordinary character.
      [6, '"open', null],
      [7, '"said" so', null],
      [8, 'last', null],
    ]);
    const refused = rows
      .filter(({ rule }) => rule === null)
      .map(({ line, errors }) => [line, errors[0]?.code]);
    expect(refused).toEqual([
      [3, 'controlCharacter'],
      [5, 'controlCharacter'],
    ]);
  });

  it.each([
    ['quotes', (count: number) => '"'.repeat(count * 30)],
    ['lines that begin with a quote', (count: number) => '"a\n'.repeat(count)],
    ['a quote that is never closed', (count: number) => `"${'a\n'.repeat(count)}`],
    ['a comment of spaces', (count: number) => `a\tb${' '.repeat(count)}c`],
  ])('reads %s in linear time', (_what, text) =>
    expectLinear(30_000, (count) => readPaste(text(count), defaults, ON)),
  );
});

describe('matching', () => {
  const subject: MatchSubject = {
    hashes: [MD5],
    fileNames: ['Rechnung.DOCM'],
    fromEmail: 'Billing@sub.Partner.example',
    fromName: 'Jürgen Müller',
    recipients: ['a@home.example', 'b@home.example'],
    clientIp: '192.0.2.77',
    urls: ['https://lure.example/pay?i=1'],
    subject: 'Invoice overdue: final notice',
  };
  it.each([
    ['from_domain', 'ends_with', 'partner.example', true],
    ['from_domain', 'ends_with', 'artner.example', false],
    ['from_domain', 'exact', '@sub.partner.example', true],
    ['from_email', 'exact', 'billing@SUB.partner.example', true],
    ['nickname', 'contains', 'MÜLLER', true],
    ['recipient', 'exact', 'b@home.example', true],
    ['client_ip', 'matching', '192.0.2.64/26', true],
    ['client_ip', 'matching', '192.0.2.0/26', false],
    ['links', 'contains', 'lure.example/pay', true],
    ['subject', 'matching', 'overdue invoice', true],
    ['subject', 'matching', 'over', false],
    ['md5', 'exact', MD5.toUpperCase(), true],
    ['server_ip', 'matching', '0.0.0.0/0', false],
  ] as const)('%s %s %s: %s', (field, matching, value, expected) => {
    expect(matcherOf(rule(field, value, matching))(subject)).toBe(expected);
  });

  it.each([
    ['paypal.com', 'https://evil.test\\@paypal.com/', false],
    ['evil.test', 'https://evil.test\\@paypal.com/', true],
    ['evil.com', 'https://u:p@ss@evil.com/', true],
    ['evil.com', 'https://evil.com./x', true],
    ['evil.com', 'https://%65vil.com/', true],
    ['evil.com', 'https://evil。com/', true],
    ['evil.com', 'https:evil.com', true],
    ['evil.com', 'evil.com:8080/x', true],
    ['evil.com', '//evil.com/x', true],
    ['evil.com', 'java\tscript:evil.com', false],
    ['evil.com', 'mailto:a@evil.com', false],
    ['evil.com', 'https://notevil.com/', false],
    ['bücher.example', 'https://xn--bcher-kva.example/', true],
    ['xn--bcher-kva.example', 'https://www.BÜCHER.example/', true],
  ])('domain %s, link %s: %s, as browsers read it', (value, url, expected) => {
    const block: ExceptionRule = {
      tool: 'checkpoint_url',
      type: 'block_domain',
      list: 'block',
      conditions: [{ field: 'domain', matching: 'ends_with', value }],
    };
    expect(matcherOf(block)({ urls: [url] })).toBe(expected);
    // The reference implementation: Node's URL.
    const host = URL.parse(/^(?:\/\/|evil)/.test(url) ? `http://${url.replace(/^\/\//, '')}` : url)?.hostname;
    const hostname = new URL(`http://${value}`).hostname;
    expect(host !== undefined && `.${host.replace(/\.$/, '')}`.endsWith(`.${hostname}`)).toBe(expected);
  });
  it('compares sender addresses and domains in one form', () => {
    const from = (fromEmail: string) => ({ fromEmail });
    expect(matcherOf(rule('from_email', 'a@xn--bcher-kva.example'))(from('A@BÜCHER.example'))).toBe(true);
    expect(
      matcherOf(rule('from_domain', 'bücher.example', 'ends_with'))(from('a@m.xn--bcher-kva.example.')),
    ).toBe(true);
    expect(matcherOf(rule('from_domain', 'büch', 'contains'))(from('a@xn--bcher-kva.example'))).toBe(true);
  });

  it('requires all conditions; unrecorded values match nothing', () => {
    const both = {
      ...rule('subject', 'invoice', 'contains'),
      conditions: [
        { field: 'subject', matching: 'contains', value: 'invoice' },
        { field: 'md5', matching: 'exact', value: MD5 },
      ] satisfies RuleCondition[],
    };
    expect(matcherOf(both)(subject)).toBe(true);
    expect(matcherOf(both)({ subject: 'invoice' })).toBe(false);
    expect(matcherOf({ ...both, conditions: [] })(subject)).toBe(false);
  });

  it('becomes a query if email fields can express it', () => {
    expect(ruleQuery([{ field: 'client_ip', matching: 'matching', value: '192.0.2.0/24' }])).toEqual({
      operator: 'and',
      conditions: [{ field: 'client_ip', operator: 'in_network', values: ['192.0.2.0/24'] }],
    });
    expect(ruleQuery([{ field: 'payload', matching: 'contains', value: 'x' }])).toBeNull();
  });
});

describe('lint', () => {
  const listed = [
    { id: 'wide', rule: rule('from_domain', 'partner.example', 'ends_with', 'whitelist') },
    { id: 'narrow', rule: rule('from_email', 'a@sub.partner.example', 'exact', 'whitelist') },
    { id: 'net', rule: rule('client_ip', '192.0.2.0/24', 'matching') },
  ];
  const codesOf = (of: ExceptionRule) => lintRule(of, listed).map(({ code, others }) => [code, ...others]);

  it('[promise] finds duplicates, overlaps both ways and contradictions', () => {
    expect(codesOf(rule('from_domain', '@Partner.example', 'ends_with', 'whitelist'))).toEqual([
      ['duplicate', 'wide'],
      ['overlap', 'narrow'],
    ]);
    expect(codesOf(rule('from_domain', 'sub.partner.example', 'exact', 'whitelist'))).toEqual([
      ['overlapped', 'wide'],
      ['overlap', 'narrow'],
    ]);
    expect(codesOf(rule('from_email', 'x@partner.example'))).toEqual([['contradiction', 'wide']]);
    expect(codesOf(rule('client_ip', '192.0.2.9', 'matching'))).toEqual([['overlapped', 'net']]);
    expect(codesOf(rule('from_domain', 'other.example', 'ends_with'))).toEqual([]);
    expect(lintRule(listed[0]?.rule ?? rule('x', ''), listed, 'wide').map(({ code }) => code)).toEqual([
      'overlap',
    ]);
  });

  it('a rule of two conditions is covered by either of them', () => {
    const both: ExceptionRule = {
      ...rule('client_ip', '192.0.2.9', 'matching'),
      conditions: [
        { field: 'client_ip', matching: 'matching', value: '192.0.2.9' },
        { field: 'subject', matching: 'contains', value: 'invoice' },
      ],
    };
    expect(codesOf(both)).toEqual([['overlapped', 'net']]);
    expect(lintRule(listed[2]?.rule ?? both, [{ id: 'both', rule: both }]).map(({ code }) => code)).toEqual([
      'overlap',
    ]);
  });

  it.each([
    ['from_domain', 'gmail.com', 'exact', true],
    ['from_domain', 'co.uk', 'ends_with', true],
    ['from_domain', 'partner.co.uk', 'ends_with', false],
    ['from_domain', 'partner.example', 'ends_with', false],
    ['client_ip', '10.0.0.0/8', 'matching', true],
    ['client_ip', '192.0.2.0/24', 'matching', false],
    ['subject', 're:', 'contains', true],
  ] as const)('%s %s: too broad %s', (field, value, matching, expected) => {
    expect(tooBroad(rule(field, value, matching)) !== null).toBe(expected);
  });

  it('a shorter fragment covers a longer one, not the reverse', () => {
    const piece = (value: string): RuleCondition => ({ field: 'subject', matching: 'contains', value });
    expect(covers(piece('invoice'), piece('overdue invoice'))).toBe(true);
    expect(covers(piece('overdue invoice'), piece('invoice'))).toBe(false);
  });
});
