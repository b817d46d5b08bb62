/** Rules in MQL over mail as it is parsed: what hits, what nearly does, what cannot be told, and hostile rules. */
import { describe, expect, it } from 'vitest';
import { compileMql, type MqlLists } from '#shared/checks/mql/compile.ts';
import { listEntries, listName, OWN_LISTS } from '#shared/checks/mql/lists.ts';
import { compileMqlRule, missingWords } from '#shared/checks/mql/rule.ts';
import { type MqlOutcome, mqlRunner } from '#shared/checks/mql/run.ts';
import { MqlError } from '#shared/checks/mql/tokens.ts';
import { expectLinear } from '#tests/support/growth.ts';
import { parseMessage } from '../formats/mail/parse.ts';

const HTML = [
  '<p>Dear customer, your account is <b>locked</b>. Invoice INV-4711.</p>',
  '<a href="https://www.paypal.evil-shop.co.uk/login/index.php?mail=bo%40corp.example&amp;k=1#top">https://paypal.com</a>',
  '<a href="http://192.0.2.7:8080/x">Open</a>',
].join('');

const LINES = [
  'Received: from mail.evil-shop.co.uk (mail.evil-shop.co.uk [192.0.2.1]) by mx.corp.example; Mon, 2 Nov 2026 10:00:00 +0000',
  'Received: from desk (unknown [10.0.0.1]) by mail.evil-shop.co.uk; Mon, 2 Nov 2026 09:59:00 +0000',
  'From: "PayPal Service" <No-Reply@evil-shop.co.uk>',
  'To: Bo <bo@corp.example>, Cy <cy@corp.example>',
  'Reply-To: help@other.example',
  'Subject: RE: FW: Your account is locked',
  'X-Mailer: Kit 1.0',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  'Content-Type: text/html; charset=utf-8',
  '',
  HTML,
  '--b',
  'Content-Type: application/octet-stream',
  'Content-Disposition: attachment; filename="Invoice.pdf.HTML"',
  '',
  '<html>pay</html>',
  '--b--',
  '',
];
const PASSED =
  'Authentication-Results: mx.corp.example; spf=pass smtp.mailfrom=evil-shop.co.uk; dmarc=pass header.from=evil-shop.co.uk';
const FAILED = PASSED.replaceAll('=pass', '=fail');

async function outcome(
  source: string,
  { lines = LINES, lists = OWN_LISTS, own = [] as string[] } = {},
): Promise<MqlOutcome> {
  const parsed = await parseMessage(Buffer.from(lines.join('\r\n')));
  if (!parsed.ok) throw new Error(parsed.reason);
  return mqlRunner()(compileMql(source, lists), { mail: parsed.mail, ownDomains: new Set(own) });
}

describe('what a mail says', () => {
  it.each([
    'type.inbound',
    'sender.display_name == "PayPal Service"',
    'sender.email.email == "no-reply@evil-shop.co.uk" and sender.email.local_part == "No-Reply"',
    'sender.email.domain.root_domain == "evil-shop.co.uk" and sender.email.domain.tld == "co.uk"',
    'sender.email.domain.sld == "evil-shop" and sender.email.domain.valid',
    'subject.base == "Your account is locked" and subject.is_reply and not subject.is_forward',
    'length(recipients.to) == 2 and recipients.to[1].display_name == "Cy" and recipients.cc == recipients.cc or true',
    'length(body.links) == 2 and length(attachments) == 1',
    'any(body.links, .href_url.domain.subdomain == "www.paypal" and .mismatched)',
    "any(body.links, .href_url.path =~ '/LOGIN/index.php' and .href_url.fragment == 'top')",
    'any(body.links, .href_url.query_params_decoded["mail"][0] == "bo@corp.example")',
    'any(body.links, "k" in keys(.href_url.query_params_decoded) and length(values(.href_url.query_params_decoded)) == 2)',
    'any(body.links, .href_url.ip.ip == "192.0.2.7" and .href_url.port == 8080 and .href_url.domain is null)',
    'any(body.links, .display_url.domain.root_domain == "paypal.com")',
    'any(body.links, any(recipients.to, strings.icontains(..href_url.url, strings.concat(.email.local_part, "%40"))))',
    'all(body.links, .href_url.scheme in ("http", "https"))',
    'length(filter(body.links, .display_text == "Open")) == 1',
    'length(distinct(map(body.links, .href_url.scheme))) == 2 and length(distinct(body.links, .parser)) == 1',
    'sum(map(attachments, .size)) > 10 and sum([length(recipients.to), length(recipients.cc)]) == 2',
    'ratio(body.links, .href_url.scheme == "http") == 0.5',
    'any(attachments, .file_extension == "html" and .file_type == "html" and strings.ilike(.file_name, "*.pdf.*"))',
    'length(headers.hops) == 3 and headers.hops[0].received.server.raw == "mx.corp.example"',
    'any(headers.hops, .index == 2 and any(.fields, .name == "X-Mailer")) and headers.mailer == "Kit 1.0"',
    'any(headers.reply_to, .email.domain.domain == "other.example")',
    'any(headers.domains, .root_domain == "evil-shop.co.uk") and any(headers.ips, .ip == "192.0.2.1")',
    'body.plain.raw is null and strings.contains(body.html.raw, "<b>") and headers.in_reply_to is null',
    'strings.icontains(body.current_thread.text, "ACCOUNT is locked") and length(body.previous_threads) == 0',
    "regex.icontains(body.current_thread.text, 'inv-\\d{4}\\b') and not regex.contains(body.html.inner_text, 'inv-')",
    "regex.imatch(subject.subject, 're: .*LOCKED') and not regex.match(subject.subject, 'RE')",
    "any(regex.extract(body.html.inner_text, '(?P<kind>[A-Z]+)-(?P<number>\\d+)'), .named_groups[\"number\"] == '4711' and .groups[0] == 'INV')",
    "regex.icount(body.html.inner_text, 'l') > strings.count(subject.subject, 'l')",
    'strings.ilevenshtein("PayPa1", "paypal") == 1 and strings.levenshtein("a", "A") == 1',
    'strings.replace_confusables("раураl") == "paypal" or strings.icontains(strings.replace_confusables("раypаl"), "paypal")',
    'strings.parse_url("https://a.b.example/x?y=1").query_params == "y=1"',
    'strings.parse_email("a@B.Example").domain.domain == "b.example" and strings.parse_domain("a.co.uk").sld == "a"',
    'any(strings.scan_base64("x aHR0cHM6Ly9ldmlsLnRlc3QvYQ== y"), strings.starts_with(., "https://evil"))',
    'coalesce(body.plain.raw, "none") == "none"',
    '2 of (sender.display_name == "PayPal Service", false, length(attachments) == 1)',
    'sender.email.domain.root_domain not in $free_email_providers and "gmail.com" in $free_email_providers',
    '0 < length(attachments) <= 1 and 7 % 4 == 3 and -1 + 2 * 3 == 5',
    'any(flatten([recipients.to, recipients.cc]), .email.email =~ "CY@corp.example")',
    '"PAYPAL SERVICE" in~ [sender.display_name]',
  ])('hits: %s', async (source) => {
    expect(await outcome(source)).toMatchObject({ outcome: 'hit' });
  });

  it.each([
    'sender.email.domain.root_domain == "co.uk"',
    'any(body.links, .href_url.domain.root_domain == "paypal.com")',
    'all(body.links, .href_url.port == 8080)',
    '3 of (true, false, length(attachments) == 1)',
    'body.plain.raw == "x"',
    'not body.plain.raw == "x"',
    'not any(body.links, .href_url.domain is null)',
    'strings.like(subject.subject, "your*")',
    'length(attachments) > 1 or subject.is_forward',
  ])('does not hit: %s', async (source) => {
    expect(await outcome(source)).toMatchObject({ outcome: 'none' });
  });

  it('tells the mail’s own text from the mail that it quotes', async () => {
    const lines = [
      'From: a@x.example',
      'Subject: x',
      '',
      'Yes, pay.',
      '',
      'On Monday, Bo wrote:',
      '> wire it',
    ];
    const source =
      'not strings.contains(body.current_thread.text, "wire") and length(body.previous_threads) == 1';
    expect(await outcome(source, { lines })).toMatchObject({ outcome: 'hit' });
    // Which of the links are in the earlier mail is not known.
    expect(await outcome('length(body.current_thread.links) == 0', { lines })).toMatchObject({
      outcome: 'unknown',
    });
  });
});

describe('where a hit is', () => {
  it.each([
    ['any(body.links, .href_url.port == 8080)', { kind: 'link', name: 'http://192.0.2.7:8080/x' }],
    ['any(attachments, .file_extension == "html")', { kind: 'attachment', name: 'Invoice.pdf.HTML' }],
    ['strings.contains(subject.subject, "locked")', { kind: 'header', name: 'Subject' }],
    ['type.inbound and sender.display_name == "PayPal Service"', { kind: 'header', name: 'From' }],
    ['any(body.links, false) or subject.is_reply', { kind: 'header', name: 'Subject' }],
    ['length(recipients.to) == 2', null],
  ])('%s', async (source, place) => {
    const hit = await outcome(source);
    expect(hit.outcome).toBe('hit');
    if (place === null) expect(hit.place).toBeNull();
    else expect(hit.place).toMatchObject(place);
  });
});

describe('what cannot be told', () => {
  const signed = (line: string) => ({ lines: [line, ...LINES] });

  it('lets a trusted server decide, and nobody else', async () => {
    expect(await outcome('headers.auth_summary.dmarc.pass', signed(PASSED))).toMatchObject({
      outcome: 'hit',
    });
    expect(await outcome('not headers.auth_summary.dmarc.pass', signed(FAILED))).toMatchObject({
      outcome: 'hit',
    });
    const forged = signed(FAILED.replace('mx.corp.example', 'mx.evil.example'));
    for (const source of ['headers.auth_summary.dmarc.pass', 'not headers.auth_summary.dmarc.pass'])
      for (const mail of [forged, {}])
        expect(await outcome(source, mail)).toMatchObject({ outcome: 'unknown' });
    expect(await outcome('not coalesce(headers.auth_summary.spf.pass, false)')).toMatchObject({
      outcome: 'unknown',
    });
  });

  it.each([
    ['true or profile.by_sender().solicited', 'hit'],
    ['false and not profile.by_sender().solicited', 'unknown'],
    ['not profile.by_sender().solicited', 'unknown'],
    ['any(body.links, .visible) or subject.is_reply', 'hit'],
    ['1 of (profile.by_sender().solicited, subject.is_reply)', 'hit'],
    ['2 of (profile.by_sender().solicited, subject.is_reply)', 'unknown'],
    ['length(filter(body.links, .visible or .href_url.port == 8080)) == 1', 'unknown'],
    ['any(filter(body.links, .visible or .href_url.port == 8080), .href_url.scheme == "http")', 'hit'],
    [
      'length(filter(body.links, not .visible)) == 0 or sender.email.domain.domain in $org_domains',
      'unknown',
    ],
    ['not (sender.email.domain.root_domain in $no_such_list) and false', 'unknown'],
  ])('%s: %s', async (source, expected) => {
    expect(await outcome(source)).toMatchObject({ outcome: expected });
  });

  it('knows the case’s own domains, and that mail from them is not inbound', async () => {
    const source = 'any(recipients.to, .email.domain.root_domain in $org_domains)';
    expect(await outcome(source, { own: ['corp.example'] })).toMatchObject({ outcome: 'hit' });
    expect(await outcome('type.inbound', { own: ['evil-shop.co.uk'] })).toMatchObject({ outcome: 'none' });
  });

  it('never takes the part of a list that it looks at for the whole', async () => {
    const links = Array.from({ length: 700 }, (_, index) => `http://h${index}.example/`).join(' ');
    const lines = ['From: a@x.example', 'Subject: x', '', links];
    for (const source of [
      'length(body.links) < 600',
      'not any(body.links, .href_url.port == 1)',
      'all(body.links, .href_url.scheme == "http")',
    ])
      expect(await outcome(source, { lines })).toMatchObject({ outcome: 'unknown' });
    expect(
      await outcome('any(body.links, .href_url.domain.domain == "h3.example")', { lines }),
    ).toMatchObject({ outcome: 'hit' });
  });
});

describe('what a rule lacks', () => {
  const read = (source: string) => compileMql(source, OWN_LISTS);

  it('is told by kind, with the line, and whether the rule can hit at all', () => {
    const never = read(
      'type.inbound\nand not profile.by_sender().solicited\nand any(ml.nlu_classifier(body.html.raw).intents, .name == "x")',
    );
    expect(never.isIdle).toBe(true);
    expect(never.missing).toMatchObject([
      { lack: 'history', name: 'profile.by_sender', line: 2 },
      { lack: 'learning', name: 'ml.nlu_classifier', line: 3 },
    ]);
    expect(missingWords(never)).toBe(
      'Never matches here. Needs the earlier mail of the sender or the mailbox (profile.by_sender); a trained model (ml.nlu_classifier)',
    );
    const partly = read('subject.is_reply or network.whois(sender.email.domain).days_old < 30');
    expect(partly.isIdle).toBe(false);
    expect(missingWords(partly)).toBe('Matches only in part. Needs the network (network.whois)');
    expect(missingWords(read('subject.is_reply'))).toBe('');
    expect(read('sender.email.domain.root_domain in $tranco_1m').missing).toMatchObject([
      { lack: 'list', name: '$tranco_1m' },
    ]);
    expect(read('any(attachments, .colour == "red")').missing).toMatchObject([
      { lack: 'field', name: '.colour' },
    ]);
  });

  it.each([
    ['no_such.function(1)', 1, 1, /no function “no_such.function”/],
    ['length()', 1, 1, /takes 1 argument/],
    ['a.b and\n attachments.size > 1', 2, 13, /is a list: use any/],
    ['any(subject.subject, true)', 1, 12, /goes through a list/],
    ['any(attachments, ...x)', 1, 18, /no function that goes through so many/],
    ["regex.contains(subject.subject, 'a(')", 1, 33, /not a pattern/],
    ["regex.contains(subject.subject, 'a(?=b)')", 1, 33, /not a pattern/],
    ['subject.subject in "x"', 1, 1, /needs a list/],
    ['length(subject.subject).x', 1, 24, /has no “.x”/],
  ])('%s is an error with its place', (source, line, column, message) => {
    let error: unknown = null;
    try {
      read(source);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(MqlError);
    expect((error as MqlError).message).toMatch(message);
    expect((error as MqlError).place).toEqual({ line, column });
  });
});

describe('rule files', () => {
  const FILE =
    'name: "Look-alike"\ndescription: |\n  Two\n  lines\nseverity: "high"\nsource: |\n  type.inbound\n  and subject.is_reply\nid: "1"\n';

  it('are read with name, description and severity', () => {
    const { rule, program } = compileMqlRule(FILE, OWN_LISTS);
    expect(rule).toMatchObject({ name: 'Look-alike', description: 'Two\nlines', severity: 4, firstLine: 7 });
    expect(program.missing).toEqual([]);
  });

  it('tell the line in the file, of YAML and of the condition', () => {
    const placeOf = (file: string) => {
      try {
        compileMqlRule(file, OWN_LISTS);
      } catch (error) {
        return (error as MqlError).place;
      }
      return null;
    };
    expect(placeOf(FILE.replace('is_reply', 'is_reply ]'))).toEqual({ line: 8, column: 22 });
    expect(placeOf(FILE.replace('"high"', '"high'))?.line).toBeGreaterThan(4);
    expect(placeOf('source: [1]\n')).toEqual({ line: 1, column: 1 });
    expect(placeOf('subject.is_reply and')).toEqual({ line: 1, column: 21 });
  });

  it('hold no aliases that grow', () => {
    const bomb = `a: &a [1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b]\nsource: *c\n`;
    expect(() => compileMqlRule(bomb, OWN_LISTS)).toThrow(MqlError);
  });
});

it('reads lists of files by their names', async () => {
  expect(listName('/a/b/Free_File_Hosts.txt')).toBe('$free_file_hosts');
  const { entries } = listEntries('# comment\r\n1,Evil-Shop.co.uk\n\n2,b.example\n');
  const lists: MqlLists = new Map([[listName('tranco_10k.csv'), entries]]);
  expect(await outcome('sender.email.domain.root_domain in $tranco_10k', { lists })).toMatchObject({
    outcome: 'hit',
  });
});

describe('hostile rules and mails', () => {
  const long = (text: string) => ['From: a@x.example', 'Subject: x', '', text];

  it('runs catastrophic patterns in linear time', async () => {
    await expectLinear(150_000, (size) =>
      outcome("regex.contains(body.plain.raw, '(a+)+$') or regex.contains(body.plain.raw, '(a|aa)*b')", {
        lines: long(`${'a'.repeat(size)}!`),
      }),
    );
  });

  it('refuses patterns that repeat too much, and ends work that takes too long', async () => {
    expect(() => compileMql("regex.contains(subject.subject, '((a{100}){100}){10}')", OWN_LISTS)).toThrow(
      MqlError,
    );
    const links = Array.from({ length: 500 }, (_, index) => `http://h${index}.example/`).join(' ');
    const nested = `${'any(body.links, '.repeat(6)}.href_url.port == 1${')'.repeat(6)}`;
    expect(await outcome(nested, { lines: long(links) })).toMatchObject({ outcome: 'unfinished' });
    const many = `any(body.links, any(body.links, strings.ilike(body.plain.raw, "*a?b*")))`;
    expect(await outcome(many, { lines: long(`${links}${' ab'.repeat(60_000)}`) })).toMatchObject({
      outcome: 'unfinished',
    });
  });

  it('takes names from a mail for data only', async () => {
    const lines = [
      'From: a@x.example',
      'Subject: __proto__',
      '',
      'https://e.example/?__proto__=1&constructor=2',
    ];
    const source =
      'any(body.links, .href_url.query_params_decoded["toString"] is null and .href_url.query_params_decoded["constructor"][0] == "2")';
    expect(await outcome(source, { lines })).toMatchObject({ outcome: 'hit' });
  });

  it('compiles ten thousand rules', async () => {
    const compiled = Array.from({ length: 10_000 }, (_, index) =>
      compileMql(`type.inbound and strings.icontains(subject.subject, "word ${index}")`, OWN_LISTS),
    );
    const parsed = await parseMessage(Buffer.from(LINES.join('\r\n')));
    if (!parsed.ok) throw new Error(parsed.reason);
    const run = mqlRunner();
    const input = { mail: parsed.mail, ownDomains: new Set<string>() };
    expect(compiled.filter((program) => run(program, input).outcome === 'hit')).toEqual([]);
  });
});
