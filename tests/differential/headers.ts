/** Random header values against Python's email package, called once for all of them. */
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { parseAddresses } from '#shared/mail/addresses.ts';
import { decodeBytes } from '#shared/mail/charsets.ts';
import { readMailDate } from '#shared/mail/dates.ts';
import { decodeWords } from '#shared/mail/encoded-words.ts';
import type { Outcome } from './outcome.ts';

type Kind = 'date' | 'addresses' | 'words';

/** One line in, one line out; "error" for values that Python cannot read. */
const PYTHON = `
import json, sys
from datetime import timezone
from email import policy
from email.header import decode_header, make_header
def read(kind, value):
    if kind == 'words':
        return str(make_header(decode_header(value)))
    header = policy.default.header_factory('Date' if kind == 'date' else 'To', value)
    if kind == 'date':
        at = header.datetime
        return None if at is None else round((at if at.tzinfo else at.replace(tzinfo=timezone.utc)).timestamp() * 1000)
    return [one.addr_spec for one in header.addresses]
for line in sys.stdin:
    kind, value = json.loads(line)
    try:
        print(json.dumps({'value': read(kind, value)}))
    except Exception as error:
        print(json.dumps({'error': type(error).__name__}))
`;

const two = (least: number, most: number) =>
  fc.integer({ min: least, max: most }).map((number) => String(number).padStart(2, '0'));
const date = fc
  .tuple(
    fc.constantFrom('', 'Mon, ', 'Tue,', 'Wed '),
    fc.integer({ min: 1, max: 31 }),
    fc.constantFrom('Jan', 'Feb', 'mar', 'APR', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'),
    fc.integer({ min: 1971, max: 2037 }),
    two(0, 23),
    two(0, 59),
    fc.oneof(
      two(0, 59).map((seconds) => `:${seconds}`),
      fc.constant(''),
    ),
    fc.constantFrom(
      '+0000',
      '-0000',
      '+0300',
      '-0600',
      '+0530',
      '+1245',
      '-1130',
      'GMT',
      'UT',
      'EST',
      'PDT',
      'MST',
    ),
    fc.constantFrom('', '', ' (CET)', ' (a (b) c)'),
  )
  .map(
    ([name, day, month, year, hour, minute, second, zone, comment]) =>
      `${name}${day} ${month} ${year} ${hour}:${minute}${second} ${zone}${comment}`,
  );

const local = fc.constantFrom(
  'a',
  'm.n',
  'm+tag',
  "o'neill",
  'x_y-z',
  '"a b"',
  '"a\\"b"',
  '"a>b"',
  '"a,b"',
  'A.B',
);
const host = fc.constantFrom('x.example', 'mail.y.example', 'X.Example', 'z.test', '[192.0.2.1]');
const phrase = fc.constantFrom(
  ...[
    '',
    'Ada ',
    'Ada Byron ',
    '"Byron, Ada" ',
    '"a \\" b" ',
    '=?utf-8?Q?Byron=2C_Ada?= ',
    '=?utf-8?B?QWRhLCBC?= ',
  ],
  ...['Ada (work) ', '(home) ', '"evil@bank.test" ', 'Ada A. Byron '],
);
const mailbox = fc.oneof(
  fc.tuple(phrase, local, host).map(([name, box, domain]) => `${name}<${box}@${domain}>`),
  fc
    .tuple(local, host, fc.constantFrom('', ' (Ada)', ' (a (b))'))
    .map(([box, domain, note]) => `${box}@${domain}${note}`),
);
const addresses = fc.oneof(
  { weight: 4, arbitrary: fc.array(mailbox, { minLength: 1, maxLength: 4 }).map((list) => list.join(', ')) },
  { weight: 1, arbitrary: fc.array(mailbox, { maxLength: 3 }).map((list) => `Group: ${list.join(', ')};`) },
);

const encoded = fc.oneof(
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 10 })
    .map((text) => `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`),
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
    .map(
      (text) =>
        `=?UTF-8?q?${[...Buffer.from(text)].map((byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')}?=`,
    ),
  fc.constantFrom(
    ...[
      '=?iso-8859-1?Q?caf=E9?=',
      '=?windows-1251?B?7/Do4uXy?=',
      '=?ISO-2022-JP?B?GyRCRnxLXBsoQg==?=',
      '=?shift_jis?B?k/qWew==?=',
    ],
    ...[
      '=?iso-8859-15?q?=A4_1?=',
      '=?koi8-r?B?8NLJ18XU?=',
      '=?gb2312?B?xOO6ww==?=',
      '=?utf-8*en?Q?a_b?=',
      '=?big5?B?p0Gmbg==?=',
    ],
  ),
);
const plain = fc.constantFrom('Re:', 'a', 'b c', '=?', '?=', '=?utf-8?', 'x=20y', '[1]');
const words = fc
  .array(fc.oneof(encoded, plain), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(' '));

const READ: Readonly<Record<Kind, (value: string) => unknown>> = {
  date: (value) => readMailDate(value)?.time ?? null,
  addresses: (value) => parseAddresses(value, decodeBytes).map(({ address }) => address.toLowerCase()),
  words: (value) => decodeWords(value, decodeBytes),
};

/** null: Python is not installed. */
export function compareHeaders(count: number, seed: number): Outcome | null {
  if (spawnSync('python3', ['--version']).status !== 0) return null;
  const each = Math.ceil(count / 3);
  const inputs: [Kind, string][] = [
    ...fc.sample(date, { numRuns: each, seed }).map((value): [Kind, string] => ['date', value]),
    ...fc.sample(addresses, { numRuns: each, seed }).map((value): [Kind, string] => ['addresses', value]),
    ...fc.sample(words, { numRuns: each, seed }).map((value): [Kind, string] => ['words', value]),
  ];
  const child = spawnSync('python3', ['-c', PYTHON], {
    input: inputs.map((input) => JSON.stringify(input)).join('\n'),
    encoding: 'utf8',
    maxBuffer: 1024 * 1024 * 1024,
    env: { ...process.env, PYTHONIOENCODING: 'utf-8' },
  });
  if (child.status !== 0) throw new Error(`Python ended with ${child.status}: ${child.stderr}`);
  const answers = child.stdout.trimEnd().split('\n');
  const outcome: Outcome = { compared: 0, skipped: 0, differences: [] };
  for (const [index, [kind, value]] of inputs.entries()) {
    const answer = JSON.parse(answers[index] ?? '{"error":"none"}') as { value?: unknown; error?: string };
    if (answer.error !== undefined) {
      outcome.skipped += 1;
      continue;
    }
    const theirs =
      kind === 'addresses'
        ? (answer.value as string[]).map((word) => word.toLowerCase())
        : (answer.value ?? null);
    const ours = READ[kind](value);
    outcome.compared += 1;
    const [mine, other] = [JSON.stringify(ours), JSON.stringify(theirs)];
    if (mine !== other)
      outcome.differences.push({ input: `${kind} ${JSON.stringify(value)}`, ours: mine, theirs: other });
  }
  return outcome;
}
