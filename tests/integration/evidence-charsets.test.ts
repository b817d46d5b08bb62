/** Mails in charsets that are rare, wrongly named or not named; small inputs of ../shared, rebuilt from reports on other programs. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseMessage } from '#service/formats/mail/parse.ts';

const shared = process.env['PARAPET_SHARED'] ?? join(import.meta.dirname, '..', '..', '..', 'shared');
const data = join(shared, 'data', 'reports', 'mail');

describe.skipIf(!existsSync(data))('mails of reports', () => {
  const GUESSED = 'as the mail says';
  it.each([
    ['03-word-mislabelled', { subject: 'Dzień dobry', text: 'Dzień dobry' }, GUESSED],
    ['03c-word-gb2312', { subject: '付款通知书' }, GUESSED],
    ['04-raw-gbk', { subject: '付款通知', text: '您好，请查收' }, 'read as gbk'],
    ['05-q-question', { subject: 'What are you working on? [ask]' }, null],
    ['05b-q-question-utf8', { subject: 'Fällig? Ja?' }, null],
    ['06-b64-unaligned', { subject: 'Rechnung überfällig – bitte zahlen' }, 'put together'],
    ['09-gbk-label-meta', { html: expect.stringContaining('您好，请查收附件中的发票') }, GUESSED],
    ['14-from-encoded', { author: expect.objectContaining({ address: 'war@evil.example' }) }, 'as a whole'],
    ['15-cp1026', { links: [expect.objectContaining({ url: 'http://evil.example/e' })] }, null],
    ['16-junk-words', { subject: 'Try' }, 'not base64'],
  ])('%s', async (name, expected, problem) => {
    const result = await parseMessage(readFileSync(join(data, `${name}.eml`)));
    if (!result.ok) throw new Error(result.reason);
    const { mail } = result;
    expect({ ...mail, text: mail.text.trim() }).toMatchObject(expected);
    expect(mail.problems).toEqual(
      problem === null ? [] : expect.arrayContaining([expect.stringContaining(problem)]),
    );
  });
});
