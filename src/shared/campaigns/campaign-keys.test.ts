/** What makes mails one campaign, what nearly does, and mails made to join everything or to cost much. */
import { describe, expect, it } from 'vitest';
import { bareMail } from '#tests/support/bare-mail.ts';
import { expectLinear } from '#tests/support/growth.ts';
import { wordedText } from '#tests/support/worded-mail.ts';
import { type CheckedAttachment, type CheckedMail, prepareMail } from '../checks/prepared-mail.ts';
import { campaignKeys, KEY_KINDS, kindOfKey } from './campaign-keys.ts';

const address = (text: string) => {
  const [local = '', domain = ''] = text.split('@');
  return { name: '', address: text, local, domain };
};
const link = (url: string) => ({
  url,
  host: new URL(url).hostname,
  text: url,
  source: 'text' as const,
  within: null,
  mismatched: null,
  rewrittenUrl: null,
});
const file = (sha256: string, more: Partial<CheckedAttachment> = {}): CheckedAttachment => ({
  filename: 'a.pdf',
  declaredName: 'a.pdf',
  mimeType: 'application/pdf',
  contentType: 'application/pdf',
  encryption: null,
  inline: false,
  size: 4_000,
  sha256,
  members: [],
  traits: [],
  ...more,
});

const keys = (mail: Partial<CheckedMail>, isFlagged = false) =>
  campaignKeys(prepareMail(bareMail({ author: address('a@one-sender.com'), ...mail })), isFlagged);

/** The kinds of what two mails share. */
function shared(a: Partial<CheckedMail>, b: Partial<CheckedMail>, isFlagged = false) {
  const of = new Set(keys(b, isFlagged));
  return [
    ...new Set(
      keys(a, isFlagged)
        .filter((key) => of.has(key))
        .map(kindOfKey),
    ),
  ].sort();
}

const BODY =
  'your parcel is waiting at the depot because nobody was at home when our driver came please choose another day and pay the small fee within two days or it goes back to the sender who must then pay for it again';
const HASH = 'a'.repeat(64);

describe('mails of one campaign share', () => {
  it('a text in which name, number and address differ', () => {
    const notice = (name: string, number: number) =>
      `Dear ${name}, parcel ${number}: ${BODY} ${name}@corp.com`;
    expect(shared({ shownText: notice('Ann', 1_234) }, { shownText: notice('Bo', 99) })).toEqual(['text']);
    expect(shared({ shownText: notice('Ann', 1) }, { shownText: wordedText(7) })).toEqual([]);
  });

  it('a text in a script without spaces', () => {
    const text =
      '您的包裹正在等待领取因为司机来时家中无人请选择另一天并在两天内支付小额费用否则将退回给寄件人';
    expect(shared({ shownText: `${text}编号123` }, { shownText: `亲爱的客户${text}编号98` })).toEqual([
      'text',
    ]);
  });

  it('a host of links, a page on a shared host, and a shortened link', () => {
    const to = (url: string) => ({ links: [link(url)] });
    expect(shared(to('https://pay.evil-parcel.com/1'), to('https://pay.evil-parcel.com/2'))).toEqual([
      'host',
    ]);
    expect(shared(to('https://docs.google.com/forms/x'), to('https://docs.google.com/forms/x?u=2'))).toEqual([
      'link',
    ]);
    expect(shared(to('https://docs.google.com/forms/x'), to('https://docs.google.com/forms/y'))).toEqual([]);
    expect(shared(to('https://bit.ly/3abcd'), to('https://bit.ly/3abcd'))).toEqual(['link']);
  });

  it('an attachment, and a picture that is all there is', () => {
    expect(shared({ attachments: [file(HASH)] }, { attachments: [file(HASH)] })).toEqual(['attachment']);
    const picture = {
      attachments: [file(HASH, { mimeType: 'image/png', contentType: 'image/png', inline: true })],
    };
    expect(shared(picture, picture)).toEqual(['attachment']);
  });

  it('an address for answers that anybody could have made, and a wallet', () => {
    const reply = { replyTo: [address('claims@gmail.com')] };
    expect(shared(reply, { ...reply, author: address('b@two-sender.com') })).toEqual(['reply-address']);
    const wallet = { shownText: 'send it to 1BoatSLRHtKNngkdXEeobR76b53LETtpyT' };
    expect(shared(wallet, { shownText: `${wallet.shownText} today` })).toEqual(['wallet']);
  });

  it('a long subject, or a short one of the same sender', () => {
    const a = { subject: 'Invoice 17 overdue' };
    expect(shared(a, { subject: 'Invoice 18 overdue' })).toEqual(['subject']);
    expect(shared(a, { ...a, author: address('b@two-sender.com') })).toEqual([]);
    const long = { subject: 'Your parcel 17 is waiting for you' };
    expect(
      shared(long, { subject: 'Your parcel 99 is waiting for you', author: address('b@two-sender.com') }),
    ).toEqual(['subject']);
  });

  it('the structure of a long page', () => {
    const page = (text: string) => ({
      html: Array.from({ length: 60 }, (_, index) => `<td class="c${index % 9}">${text}`).join(''),
    });
    expect(shared(page('one'), page('two'))).toEqual(['template']);
    expect(shared(page('one'), { html: `${page('one').html}<p>` })).toEqual([]);
  });
});

describe('mails that nearly do', () => {
  it.each([
    [
      'hosts of everybody',
      ['https://www.facebook.com/x', 'https://click.list-manage.com/u?1', 'https://www.paypal.com/a'],
    ],
    [
      'hosts within a network',
      [
        'http://127.0.0.1/a',
        'http://192.168.1.9/a',
        'http://[::1]/a',
        'http://intranet/a',
        'http://nas.local/a',
      ],
    ],
  ])('%s are no key', (_, urls) => {
    for (const url of urls) expect(shared({ links: [link(url)] }, { links: [link(url)] }), url).toEqual([]);
  });

  it('the own site of a sender, unless the mail is suspicious, and that of the recipient', () => {
    const mail = { links: [link('https://www.one-sender.com/a')] };
    expect(shared(mail, mail)).toEqual([]);
    expect(shared(mail, mail, true)).toEqual(['host']);
    const theirs = { links: [link('https://www.corp-victim.com/a')], to: [address('bo@corp-victim.com')] };
    expect(shared(theirs, theirs, true)).toEqual([]);
  });

  it('links to several places, as in a digest', () => {
    const digest = (last: string) => ({
      links: ['alpha-news.com', last].map((host) => link(`https://${host}/a`)),
    });
    expect(shared(digest('beta-news.com'), digest('gamma-news.com'))).toEqual([]);
  });

  it('a logo, a signature, an empty file', () => {
    const attached = (more: Partial<CheckedAttachment>) => ({
      shownText: BODY.slice(0, 60),
      attachments: [file(HASH, more)],
    });
    for (const more of [
      { mimeType: 'image/png', contentType: 'image/png' },
      { inline: true },
      { mimeType: 'application/pkcs7-signature', contentType: null },
      { size: 0 },
      { sha256: null },
    ])
      expect(shared(attached(more), attached(more))).toEqual([]);
  });

  it('an answer that quotes the same text', () => {
    const answer = {
      inReplyTo: 'x@y',
      subject: 'Re: parcel',
      shownText: BODY,
      text: `On Monday Ann Lee wrote:\n> ${BODY}`,
    };
    expect(shared(answer, { shownText: BODY })).toEqual([]);
    const onList = { headers: [{ name: 'List-Id', value: 'x', decoded: 'x' }] as CheckedMail['headers'] };
    expect(shared({ ...onList, subject: 'Re: parcel', shownText: BODY }, { shownText: BODY })).toEqual([]);
    // The sender only pretends to answer.
    expect(shared({ subject: 'Re: parcel', shownText: BODY }, { shownText: BODY })).toEqual(['text']);
  });
});

describe('against attacks', () => {
  it('a mail with nothing to compare has no key', () => {
    for (const text of ['', ' \n ', 'hello', '.', '1234 5678'])
      expect(keys({ shownText: text, subject: text, author: null })).toEqual([]);
  });

  it('a mail joins few campaigns, however much it holds', () => {
    const many = keys(
      {
        subject: 'one two three four five',
        shownText: BODY,
        html: '<p>'.repeat(10_000),
        attachments: Array.from({ length: 1_000 }, (_, index) => file(`${index}`)),
        links: Array.from({ length: 5_000 }, (_, index) => link(`https://evil-${index}.com/`)),
        replyTo: [address('a@gmail.com')],
      },
      true,
    );
    expect(many.length).toBeLessThanOrEqual(20);
    expect(many.every(Number.isSafeInteger)).toBe(true);
    expect(new Set(many.map(kindOfKey)).size).toBeLessThanOrEqual(KEY_KINDS.length);
  });

  it('10 MB of words or of tags cost no more than their reading', async () => {
    const mails = new Map(
      [1, 8].map((size) => [
        size,
        prepareMail(
          bareMail({ shownText: 'ab '.repeat(size * 400_000), html: '<a '.repeat(size * 400_000) }),
        ),
      ]),
    );
    await expectLinear(8, (size) => campaignKeys(mails.get(size)!, true));
  });
});
