/** Random web addresses inside random texts, against the engine's URL parser (WHATWG). */
import fc from 'fast-check';
import { urlsInText } from '#shared/mail/text-urls.ts';
import { defang, refang } from '#shared/model/defang.ts';
import { webHost } from '#shared/model/hosts.ts';
import { extractIocs } from '#shared/model/ioc.ts';
import type { Outcome } from './outcome.ts';

const label = fc.constantFrom(
  ...[
    'evil',
    'EVIL',
    'a',
    'x-1',
    'www',
    'xn--bcher-kva',
    'bücher',
    'ｅｖｉｌ',
    '%65vil',
    'ev%69l',
    'ev\u00adil',
    'пример',
  ],
);
const dot = fc.oneof(
  { weight: 8, arbitrary: fc.constant('.') },
  { weight: 1, arbitrary: fc.constantFrom('。', '．', '%2e') },
);
const name = fc
  .tuple(
    fc.array(fc.tuple(label, dot), { minLength: 1, maxLength: 3 }),
    fc.constantFrom('com', 'example', 'co.uk', 'COM', 'com.'),
  )
  .map(([labels, top]) => `${labels.flat().join('')}${top}`);
const address = fc.constantFrom(
  ...[
    '127.0.0.1',
    '0x7f.1',
    '017700000001',
    '2130706433',
    '0x7f000001',
    '192.0.2.1',
    '192.0.2.1.',
    '[::1]',
    '[2001:DB8::1]',
  ],
  '[::ffff:192.0.2.1]',
);
const url = fc
  .tuple(
    fc.constantFrom('http', 'https', 'HTTP', 'ftp'),
    fc.constantFrom('', '', '', 'u@', 'u:p@', 'bank.com@', 'u:p@ss@'),
    fc.oneof({ weight: 4, arbitrary: name }, { weight: 1, arbitrary: address }),
    fc.constantFrom('', '', ':80', ':8080'),
    fc.constantFrom(
      '/',
      '/x',
      '/a(b)',
      '?q=1',
      '#f',
      '/路径',
      '/@bank.com',
      '/x?u=http://b.example/',
      '/%0a',
    ),
  )
  .map(([scheme, user, host, port, path]) => `${scheme}://${user}${host}${port}${path}`);
const before = fc.constantFrom('', ' ', '请访问', '（', '“', '«', '<', '(', "'", '"', '>', '\n', 'a ', '，');
const after = fc.constantFrom(
  '',
  ' ',
  '。谢谢',
  '）',
  '”',
  '»',
  '>',
  '\n',
  '，b',
  '」',
  '"',
  '.',
  ' b',
  '、',
);

/** The host that a browser would contact for an indicator. */
const asAsked = (value: string, type: string): string | undefined =>
  URL.parse(`http://${type === 'ip' && value.includes(':') ? `[${value}]` : value}`)?.hostname.replace(
    /\.$/,
    '',
  );

/** Compares where an address in a text ends, which host it has, and that defanging can be undone. */
export function compareUrls(count: number, seed: number): Outcome {
  const outcome: Outcome = { compared: 0, skipped: 0, differences: [] };
  for (const [lead, address, tail] of fc.sample(fc.tuple(before, url, after), { numRuns: count, seed })) {
    const parsed = URL.parse(address);
    if (parsed === null) {
      outcome.skipped += 1;
      continue;
    }
    const text = lead + address + tail;
    const say = (ours: unknown, theirs: unknown) => {
      outcome.compared += 1;
      if (ours !== theirs)
        outcome.differences.push({ input: JSON.stringify(text), ours: String(ours), theirs: String(theirs) });
    };
    const [match] = urlsInText(text);
    say(match?.url, address);
    say(webHost(address), parsed.hostname);
    const host = parsed.hostname.replace(/\.$/, '');
    const named = extractIocs(text).filter(({ type }) => type === 'ip' || type === 'domain');
    say(named.some(({ type, value }) => asAsked(value, type) === host) ? host : JSON.stringify(named), host);
    say(URL.parse(refang(defang(address)))?.href, parsed.href);
  }
  return outcome;
}
