/** Queue files written by Postfix 3.7 and Exim 4.96, and the mails as their own programs print them. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectLinear } from '#tests/support/growth.ts';
import { readEvidence } from '../../import/read-evidence.ts';
import type { EvidenceBatch } from '../../store/evidence.ts';
import { readMessage } from '../mail/attachment.ts';
import type { MailContent } from '../mail/types.ts';
import { queuedMail } from './queue-files.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'parapet-queues-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const put = (name: string, bytes: string | Buffer) => writeFileSync(path.join(folder, name), bytes);

async function read() {
  const all: Pick<EvidenceBatch<MailContent>, 'messages' | 'problems'> = { messages: [], problems: [] };
  await readEvidence(folder, { file: () => false }, (batch) => {
    all.messages.push(...batch.messages);
    all.problems.push(...batch.problems);
  });
  for (const { source, raw } of all.messages) expect(await readMessage(folder, source)).toEqual(raw);
  return {
    mails: all.messages.map(({ raw }) => raw.toString()),
    problems: all.problems.map(({ file, kind, reason }) => `${file}|${kind}|${reason}`),
  };
}

/** A milter added fields, changed the subject and replaced the body, for which Postfix writes jumps. */
const POSTFIX = Buffer.from(
  'Q18gICAgICAgICAgICAyNzQgICAgICAgICAgICAgMjY1ICAgICAgICAgICAgICAgMSAgICAgICAgICAgICAgIDAgICAgICAgICAgICAgMjc2ICAgICAgICAgICAgICAgMFQRMTc5NTc4ODg2NSA1Njg0ODNBFmNyZWF0ZV90aW1lPTE3OTU3ODg4ODdBFXJld3JpdGVfY29udGV4dD1sb2NhbEYEcm9vdFMLc0B4LmV4YW1wbGVwAiAwQSBkc25fb3JpZ19yY3B0PXJmYzgyMjtyQHkuZXhhbXBsZU8LckB5LmV4YW1wbGVSC3JAeS5leGFtcGxlcA8gICAgICAgICAgICAgIDBNAHAPICAgICAgICAgICAgNjY2IChQb3N0Zml4LCBmcm9tIHVzZXJpZCAwKU42CWlkIDVFQjMwMTgwQjAxOyBGcmksIDI3IE5vdiAyMDI2IDE0OjE0OjI1ICswMDAwIChVVEMpThJGcm9tOiBoNkB4LmV4YW1wbGVOEFRvOiBtZUB5LmV4YW1wbGVwDyAgICAgICAgICAgIDU5NWUgNk4aTWVzc2FnZS1JRDogPGg2QHguZXhhbXBsZT5OK0RhdGU6IEZyaSwgMjcgTm92IDIwMjYgMTQ6MTQ6MjUgKzAwMDAgKFVUQylwDyAgICAgICAgICAgIDU2ME4AcA8gICAgICAgICAgICA3NDYgICAgICAgIDBYAHAPICAgICAgICAgICAgICAwRQBOEFgtU3BhbS1TY29yZTogOTlwDyAgICAgICAgICAgIDUxMU40U3ViamVjdDogY2hhbmdlZCBieSBhIG1pbHRlciwgYW5kIGxvbmdlciB0aGFuIGl0IHdhc3APICAgICAgICAgICAgNDIxTgpYLUZpcnN0OiBhdwMgIDBOAiBiTihSZWNlaXZlZDogYnkgdm0gKFBvc3RmaXgsIGZyb20gdXNlcmlkIDApcA8gICAgICAgICAgICAzMDdODGFub3RoZXIgYm9keU4Mb2YgdHdvIGxpbmVzcA8gICAgICAgICAgICA1Mzk=',
  'base64',
);
const BY_POSTCAT =
  'X-First: a\n b\nReceived: by vm (Postfix, from userid 0)\n\tid 5EB30180B01; Fri, 27 Nov 2026 14:14:25 +0000 (UTC)\nFrom: h6@x.example\nTo: me@y.example\nSubject: changed by a milter, and longer than it was\nMessage-ID: <h6@x.example>\nDate: Fri, 27 Nov 2026 14:14:25 +0000 (UTC)\nX-Spam-Score: 99\n\nanother body\nof two lines\n';
const ID = '1xWwht-0008FW-2H';
const EXIM_HEADER =
  '1xWwht-0008FW-2H-H\nroot 0 0\n<new@x.example>\n1795788825 0\n-received_time_usec .705530\n-received_time_complete 1795788825.712768\n-ident root\n-received_protocol local\n-body_linecount 1\n-max_received_linelength 26\n-allow_unqualified_recipient\n-allow_unqualified_sender\n-deliver_firsttime\n-tls_resumption A\nXX\n1\nr@y.example\n\n154P Received: from root by vm with local (Exim 4.96)\n\t(envelope-from <new@x.example>)\n\tid 1xWwht-0008FW-2H\n\tfor r@y.example;\n\tFri, 27 Nov 2026 14:13:45 +0000\n019F From: h6@x.example\n017T To: me@y.example\n019  Subject: hostile 6\n027I Message-ID: <h6@x.example>\n036* X-rewrote-sender: s@rewrite.example\n038  Date: Fri, 27 Nov 2026 14:13:45 +0000\n013  X-Added: yes\n';
const EXIM_BODY = '1xWwht-0008FW-2H-D\nno date\n';
const BY_EXIM =
  'Received: from root by vm with local (Exim 4.96)\n\t(envelope-from <new@x.example>)\n\tid 1xWwht-0008FW-2H\n\tfor r@y.example;\n\tFri, 27 Nov 2026 14:13:45 +0000\nFrom: h6@x.example\nTo: me@y.example\nSubject: hostile 6\nMessage-ID: <h6@x.example>\nDate: Fri, 27 Nov 2026 14:13:45 +0000\nX-Added: yes\n\nno date\n';

describe('the queue of Postfix', () => {
  const record = (type: string, text = '') =>
    Buffer.from(`${type}${String.fromCharCode(text.length)}${text}`);
  const content = [record('N', 'Subject: s'), record('w', 'padding'), record('N'), record('N', 'Hello')];

  it.each([
    ['a whole mail', [record('M'), ...content, record('X')], false],
    [
      'a record that Postfix does not have',
      [record('M'), ...content, record('\u0002', 'x'), record('X')],
      true,
    ],
    ['a sender among the content', [record('M'), ...content, record('S', 'x'), record('X')], true],
    ['no beginning of the content', [...content, record('X')], true],
  ])('%s', (_, records, isDamaged) => {
    const size = Buffer.from(`C\x2f${Array.from({ length: 3 }, () => '              1').join(' ')}`);
    expect(queuedMail('postfix', Buffer.concat([size, ...records]), null).isDamaged).toBe(isDamaged);
  });

  it('gives the mail as postcat does, with the changes of a milter', async () => {
    put('5EB30180B01', POSTFIX);
    expect(await read()).toEqual({ mails: [BY_POSTCAT], problems: [] });
  });

  it('cut off gives what is there, and is reported', async () => {
    for (let length = 400; length < POSTFIX.length; length += 7) {
      put('5EB30180B01', POSTFIX.subarray(0, length));
      const { mails, problems } = await read();
      expect([length, mails.length + problems.length]).not.toEqual([length, 0]);
      if (mails[0] !== undefined && mails[0] !== BY_POSTCAT)
        expect(problems.join()).toContain('it is damaged');
    }
  });

  it('that jumps in circles ends', () =>
    expectLinear(2_000_000, (size) => {
      const jump = 'p\x10               3';
      const { mail, isDamaged } = queuedMail(
        'postfix',
        Buffer.from(`CXXM\0N\x7f${'x'.repeat(127)}${jump}`.padEnd(size)),
        null,
      );
      expect(isDamaged).toBe(true);
      expect(mail.length).toBeLessThanOrEqual(size);
    }));
});

describe('the queue of Exim', () => {
  it('gives the mail as exim -Mvc does, from both files', async () => {
    put(`${ID}-H`, EXIM_HEADER);
    put(`${ID}-D`, EXIM_BODY);
    expect(await read()).toEqual({ mails: [BY_EXIM], problems: [] });
  });

  it('without one of the files is not complete', async () => {
    put(`${ID}-H`, EXIM_HEADER);
    const [header = ''] = BY_EXIM.split('\n\n');
    expect(await read()).toEqual({
      mails: [`${header}\n\n`],
      problems: [`${ID}-H|unread entry|the body of the mail is not beside it: “${ID}-D” is missing`],
    });
    put(`${ID}-H.gz`, gzipSync(EXIM_HEADER));
    expect((await read()).problems.slice(1).join()).toContain(`“${ID}-D”: unpack it first`);
    rmSync(path.join(folder, `${ID}-H.gz`));
    rmSync(path.join(folder, `${ID}-H`));
    put(`${ID}-D`, EXIM_BODY);
    const { mails, problems } = await read();
    expect(mails).toEqual([]);
    expect(problems.join()).toMatch(
      /-D\|unopened\|half of a mail in Exim’s queue, which is not opened here: put the other half/,
    );
  });

  it('with a damaged header gives the fields before the damage', async () => {
    put(`${ID}-H`, EXIM_HEADER.replace('019  Subject', '0x9  Subject'));
    put(`${ID}-D`, EXIM_BODY);
    const { mails, problems } = await read();
    expect(mails).toEqual([
      `${BY_EXIM.slice(0, BY_EXIM.indexOf('Subject'))}\n${EXIM_BODY.slice(EXIM_BODY.indexOf('\n') + 1)}`,
    ]);
    expect(problems).toEqual([`${ID}-H|unread entry|it is damaged, and the mail not complete`]);
  });
});
