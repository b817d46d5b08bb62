/** The grammar of MQL: each construct, what binds how, and where errors are. */
import { describe, expect, it } from 'vitest';
import { expectLinear } from '#tests/support/growth.ts';
import { type Expression, parseMql } from './parse.ts';
import { MqlError } from './tokens.ts';

/** A tree in brackets, to compare what binds how. */
function shown(tree: Expression): string {
  const all = (trees: readonly Expression[]) => trees.map(shown).join(' ');
  switch (tree.kind) {
    case 'value':
      return JSON.stringify(tree.value);
    case 'items':
      return `[${all(tree.items)}]`;
    case 'list':
      return tree.name;
    case 'scope':
      return '.'.repeat(tree.depth);
    case 'member':
      return `${shown(tree.of)}/${tree.name}`;
    case 'index':
      return `${shown(tree.of)}[${shown(tree.index)}]`;
    case 'call':
      return `${tree.name}(${all(tree.arguments)}${[...tree.options].map(([name, value]) => ` ${name}=${shown(value)}`).join('')})`;
    case 'not':
    case 'negative':
    case 'is null':
      return `(${tree.kind} ${shown(tree.of)})`;
    case 'and':
    case 'or':
      return `(${tree.kind} ${all(tree.parts)})`;
    case 'of':
      return `(${tree.count} of ${all(tree.parts)})`;
    case 'compare':
      return `(${tree.comparisons.join(' ')} ${all(tree.operands)})`;
    case 'in':
      return `(in${tree.ignoresCase ? '~' : ''} ${shown(tree.left)} ${shown(tree.right)})`;
    case 'arithmetic':
      return `(${tree.sign} ${shown(tree.left)} ${shown(tree.right)})`;
  }
}

const read = (source: string): string => shown(parseMql(source));

it.each([
  ['type.inbound', '/type/inbound'],
  ['a and b or not c and d', '(or (and /a /b) (and (not /c) /d))'],
  ['a and (b or c)', '(and /a (or /b /c))'],
  ['not a == b', '(not (== /a /b))'],
  ['not x in (1, 2,)', '(not (in /x [1 2]))'],
  ['x not in~ $org_domains', '(not (in~ /x $org_domains))'],
  ['x is not null', '(not (is null /x))'],
  ['0 < length(x) <= 3', '(< <= 0 length(/x) 3)'],
  ['1 + 2 * 3 - -x', '(- (+ 1 (* 2 3)) (negative /x))'],
  ['x =~ "A" and y !~ "b" and z != 1.5', '(and (=~ /x "A") (!~ /y "b") (!= /z 1.5))'],
  ['any(attachments, .a.b == ..c and . != "x")', 'any(/attachments (and (== ./a/b ../c) (!= . "x")))'],
  ['a.b[0].c["k"]', '/a/b[0]/c["k"]'],
  ['.["a"] is null', '(is null .["a"])'],
  ['profile.by_sender().solicited', 'profile.by_sender()/solicited'],
  ['f(x, mode="aggressive", n=2)', 'f(/x mode="aggressive" n=2)'],
  ['2 of (a, b == 1, c,)', '(2 of /a (== /b 1) /c)'],
  ["'back\\slash isn''t escaped'", '"back\\\\slash isn\'t escaped"'],
  ['"\\n\\t\\"\\\\\\u{1F4E7}"', '"\\n\\t\\"\\\\📧"'],
  ['a // and b\n/* or\n c */ and d', '(and /a /d)'],
  ['x in ("http://a.test", \'//\')', '(in /x ["http://a.test" "//"])'],
])('reads %s', (source, tree) => {
  expect(read(source)).toBe(tree);
});

it.each([
  ['a and', 1, 6, /missing: the rule ends/],
  ['a\nand (b or\n  c', 3, 4, /“\)” is missing/],
  ['x in', 1, 5, /value, a field or a function/],
  ['any(x,, y)', 1, 7, /value/],
  ['"open', 1, 1, /not closed by a double quote/],
  ["a == 'open", 1, 6, /not closed by a single quote/],
  ['a == "\\d"', 1, 7, /No such escape/],
  ['a /* open', 1, 3, /comment is not closed/],
  ['a § b', 1, 3, /“§” means nothing/],
  ['a b', 1, 3, /“and” or “or” is missing/],
  ['a.\n b == ]', 2, 7, /“\]” stands/],
  ['', 1, 1, /missing/],
])('says where %j breaks', (source, line, column, message) => {
  const error = (() => {
    try {
      parseMql(source);
    } catch (thrown) {
      return thrown;
    }
    return null;
  })();
  expect(error).toBeInstanceOf(MqlError);
  expect(error).toMatchObject({ place: { line, column } });
  expect(String((error as MqlError).message)).toMatch(message);
});

describe('rules made to break the reader', () => {
  it.each([
    ['brackets', `${'('.repeat(100_000)}a`],
    ['calls', `${'any(x, '.repeat(50_000)}a`],
    ['not', `${'not '.repeat(50_000)}a`],
    ['signs', `${'-'.repeat(50_000)}1`],
    ['lists', `x in ${'['.repeat(50_000)}`],
  ])('refuses nested %s', (_, source) => {
    expect(() => parseMql(source)).toThrow(MqlError);
  });

  it('refuses 10 MB at once', () => {
    expect(() => parseMql('a and '.repeat(1_700_000))).toThrow(/at most/);
  });

  it('reads long rules in linear time', async () => {
    await expectLinear(4_000, (size) =>
      parseMql(Array(size).fill('any(body.links, .url == "a")').join('\nor ')),
    );
  });
});
