/** Random patterns over random texts, against the engine's RegExp. */
import fc from 'fast-check';
import { compilePattern, PatternError } from '#shared/query/pattern.ts';
import type { Outcome } from './outcome.ts';

// Few letters, so that matches occur; letters with several cases, marks, wide spaces.
const LETTERS = [
  ...[
    'a',
    'b',
    'c',
    'A',
    'K',
    'k',
    '\u212a',
    's',
    'S',
    '\u017f',
    'σ',
    'ς',
    'Σ',
    'é',
    'É',
    'e\u0301',
    'ß',
    'ẞ',
  ],
  ...[
    'i',
    'I',
    'İ',
    'ı',
    '1',
    '_',
    ' ',
    '-',
    '\n',
    '\u3000',
    '\ufeff',
    '\u2009',
    '請',
    '😀',
    'ǅ',
    'ǆ',
    'µ',
    'μ',
    'ſ',
  ],
];
const letter = fc.constantFrom(...LETTERS);
const quoted = letter.map((letter) => letter.replace(/-/, '\\-'));
const member = fc.oneof(
  { weight: 4, arbitrary: quoted.filter((letter) => letter !== 'e\u0301') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('\\s', '\\d', '\\w', '\\W', '\\S', '\\D', 'a-c', 'A-K', 'α-ω', 'Α-Ω', 'à-ÿ'),
  },
);
const { pattern } = fc.letrec<{ pattern: string; piece: string }>((tie) => ({
  piece: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    quoted,
    fc.constantFrom('.', '\\s', '\\S', '\\d', '\\w', '\\W', '\\b', '\\B', '^', '$'),
    fc
      .tuple(fc.boolean(), fc.array(member, { minLength: 1, maxLength: 3 }))
      .map(([not, members]) => `[${not ? '^' : ''}${members.join('')}]`),
    fc
      .tuple(tie('piece'), fc.constantFrom('*', '+', '?', '{2}', '{1,2}', '{0,}', '*?'))
      .map(([piece, many]) => `(?:${piece})${many}`),
    fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `(${left}|${right})`),
  ),
  pattern: fc.array(tie('piece'), { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join('')),
}));
const text = fc.array(letter, { maxLength: 8 }).map((letters) => letters.join(''));

/** `count` patterns over four texts each. Patterns that RegExp or the automaton refuses are skipped. */
export function comparePatterns(count: number, seed: number): Outcome {
  const outcome: Outcome = { compared: 0, skipped: 0, differences: [] };
  const cases = fc.sample(fc.tuple(pattern, fc.array(text, { minLength: 4, maxLength: 4 })), {
    numRuns: count,
    seed,
  });
  for (const [source, texts] of cases) {
    let ours: ReturnType<typeof compilePattern>;
    let theirs: RegExp;
    try {
      theirs = new RegExp(source.normalize('NFC'), 'iu');
      ours = compilePattern(source);
    } catch (error) {
      if (!(error instanceof PatternError) && !(error instanceof SyntaxError)) throw error;
      outcome.skipped += 1;
      continue;
    }
    for (const text of texts) {
      outcome.compared += 1;
      const [actual, expected] = [ours.test(text), theirs.test(text.normalize('NFC'))];
      if (actual !== expected)
        outcome.differences.push({
          input: `${JSON.stringify(source)} in ${JSON.stringify(text)}`,
          ours: String(actual),
          theirs: String(expected),
        });
    }
  }
  return outcome;
}
