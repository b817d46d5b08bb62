/** Rules in YARA and MQL in their thread: what they find in which part of a mail, and that no rule holds anything up. */
import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js';
import { afterAll, describe, expect, it } from 'vitest';
import { SCAN_LIMITS, type ScanMail, Scanner, ScanRefusal, type ScanRule } from './scanner.ts';

const ENTRY = new URL('../worker.ts', import.meta.url);
const scanner = new Scanner(ENTRY);
/** One that gives up soon. */
const hasty = new Scanner(ENTRY, { ...SCAN_LIMITS, time: 3_000, unfinished: 1 });
afterAll(() => Promise.all([scanner.close(), hasty.close()]));

const yara = (text: string): ScanRule => ({ key: `yara ${text}`, kind: 'yara', text });
const mql = (text: string): ScanRule => ({ key: `mql ${text}`, kind: 'mql', text });
const has = (string: string): ScanRule => yara(`rule There { strings: $a = ${string} condition: $a }`);

async function zip(files: Readonly<Record<string, Buffer>>, password?: string): Promise<Buffer> {
  const writer = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false });
  for (const [name, bytes] of Object.entries(files))
    await writer.add(name, new Uint8ArrayReader(bytes), password === undefined ? {} : { password });
  return Buffer.from(await writer.close());
}

/** A mail with a text and what is attached. */
function mail(
  id: number,
  { text = 'Hello', subject = 'Lunch', files = {} as Record<string, Buffer> } = {},
): ScanMail {
  const parts = Object.entries(files).map(
    ([name, bytes]) =>
      `--b\r\nContent-Type: application/octet-stream\r\nContent-Disposition: attachment; filename="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${bytes.toString('base64')}\r\n`,
  );
  const raw = Buffer.from(
    `From: a@x.example\r\nSubject: ${subject}\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(text).toString('base64')}\r\n${parts.join('')}--b--\r\n`,
    'latin1',
  );
  return { id, size: raw.length, bytes: async () => raw };
}

describe('YARA', () => {
  const NUL = Buffer.from('MZ\0\0\xff\xfe\xc3\x28evil\0end', 'latin1');

  it('finds strings in the mail, its decoded texts, attachments and files in archives', async () => {
    const inner = await zip({ 'deep.bin': NUL });
    const mails = [
      mail(1, { subject: 'a needle here' }),
      mail(2, { text: 'a needle in base64' }),
      mail(3, { files: { 'a.bin': Buffer.from('xx needle') } }),
      mail(4, { files: { 'a.zip': await zip({ 'run/me.js': Buffer.from('var needle') }) } }),
      mail(5, { text: 'nothing' }),
    ];
    const { hits, unfinished } = await scanner.find(has('"needle"'), mails);
    expect(unfinished).toEqual([]);
    expect(hits).toMatchObject([
      { emailId: 1, place: { kind: 'mail' }, detail: 'There: $a at byte 30' },
      { emailId: 2, place: { kind: 'body' }, detail: 'There: $a at byte 2' },
      { emailId: 3, place: { kind: 'attachment', name: 'a.bin' }, detail: 'There: $a at byte 3 of a.bin' },
      {
        emailId: 4,
        place: { kind: 'attachment', name: 'a.zip' },
        detail: 'There: $a at byte 4 of a.zip/run/me.js',
      },
    ]);
    const bytes = await scanner.find(has('{ 4D 5A 00 00 FF FE C3 28 65 }'), [
      mail(1, { files: { 'n.bin': NUL } }),
      mail(2, { files: { 'n.zip': await zip({ 'n.bin': NUL }) } }),
      mail(3, { files: { 'n.zip': inner } }),
    ]);
    expect(bytes.hits.map(({ detail }) => detail)).toEqual([
      'There: $a at byte 0 of n.bin',
      'There: $a at byte 0 of n.zip/n.bin',
      'There: $a at byte 0 of n.zip/deep.bin',
    ]);
  });

  it('tells which mails it did not look at to the end', async () => {
    const mails = [
      mail(1, { files: { 'locked.zip': await zip({ 'a.txt': Buffer.from('needle') }, 'pw') } }),
      mail(2, {
        files: { 'cut.zip': (await zip({ 'a.txt': Buffer.from('x'.repeat(500)) })).subarray(0, 40) },
      }),
      { id: 3, size: 10, bytes: () => Promise.reject(new Error('gone')) },
      mail(4),
    ];
    const { hits, unfinished } = await scanner.find(has('"needle"'), mails);
    expect(hits).toEqual([]);
    expect(unfinished.toSorted()).toEqual([1, 2, 3]);
  });

  it.each([
    ['rule a {\n condition:\n  $b\n}', /^Line 3, column 3: unknown pattern `\$b`/],
    ['rule a { condition: true', /^Line 1/],
    ['include "/etc/passwd"\nrule a { condition: true }', /Line 1|include/],
    ['import "nothing" rule a { condition: true }', /Line 1, column 1: unknown module/],
  ])('refuses %j with its line', async (text, words) => {
    const refusal = await scanner.compile(yara(text)).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ScanRefusal);
    expect((refusal as ScanRefusal).message).toMatch(words);
  });

  it('ends a rule that does not end, tells the mail, and goes on with the others', async () => {
    const loop = yara(
      'rule loop { strings: $go = "go on" condition: $go or (uint8(0) == 0x46 and filesize > 20000 and for all i in (0..filesize) : (for all j in (0..filesize) : (for all k in (0..filesize) : (i + j + k >= 0)))) }',
    );
    const mails = [
      mail(1, { text: 'go on' }),
      mail(2, { text: 'x'.repeat(30_000) }),
      mail(3, { text: 'go on' }),
    ];
    const { hits, unfinished } = await hasty.find(loop, mails);
    expect(unfinished).toEqual([2]);
    expect(hits.map(({ emailId }) => emailId)).toEqual([1, 3]);
    await expect(hasty.find(loop, [mails[1]!, { ...mails[1]!, id: 4 }])).rejects.toThrow(
      /did not finish with 2 emails/,
    );
    // The thread that was ended has left nothing behind.
    expect((await hasty.find(has('"go on"'), mails)).hits).toHaveLength(2);
  });

  it('scans an archive bomb only as far as its bounds', async () => {
    const bomb = await zip({ 'zeros.bin': Buffer.alloc(200 * 1024 * 1024) });
    const { unfinished } = await scanner.find(has('"needle"'), [mail(1, { files: { 'bomb.zip': bomb } })]);
    expect(unfinished).toEqual([1]);
  });
});

describe('MQL', () => {
  it('runs in the same thread, over mails that it holds', async () => {
    let reads = 0;
    const counted = (mail: ScanMail): ScanMail => ({
      ...mail,
      bytes: () => {
        reads += 1;
        return mail.bytes();
      },
    });
    const mails = [mail(1, { text: 'see https://evil.example/x' }), mail(2)].map(counted);
    const rule = mql('any(body.links, .href_url.domain.domain == "evil.example")');
    const { hits } = await scanner.find(rule, mails);
    expect(hits).toMatchObject([{ emailId: 1, place: { kind: 'link', name: 'https://evil.example/x' } }]);
    await scanner.find(has('"evil"'), mails);
    expect(reads).toBe(2);
  });

  it('says what a rule cannot do here, and where it is wrong', async () => {
    expect(await scanner.compile(mql('subject.is_reply or profile.by_sender().solicited'))).toMatch(
      /only in part/,
    );
    expect(await scanner.compile(mql('subject.is_reply'))).toBeNull();
    await expect(scanner.compile(mql('subject.is_reply\nand ('))).rejects.toThrow(/^Line 2, column 6/);
  });

  it('knows the case’s own domains', async () => {
    scanner.setOwnDomains(['x.example']);
    expect((await scanner.find(mql('not type.inbound'), [mail(1)])).hits).toHaveLength(1);
    scanner.setOwnDomains([]);
    expect((await scanner.find(mql('not type.inbound'), [mail(1)])).hits).toHaveLength(0);
  });
});
