/** Body hashes of DKIM signatures, against the examples of RFC 6376 and hashes that mailauth 7.1 computed. */
import { describe, expect, it } from 'vitest';
import { parseMessage } from './parse.ts';

interface Signature {
  form?: string;
  hash: string;
  algorithm?: string;
  limit?: number;
}

async function statesOf(body: string, ...signatures: Signature[]): Promise<string[]> {
  const lines = signatures.map(
    ({ form = 'relaxed/relaxed', hash, algorithm = 'rsa-sha256', limit }) =>
      `DKIM-Signature: v=1; a=${algorithm}; c=${form}; d=example.com;${limit === undefined ? '' : ` l=${limit};`}\r\n\tbh=${hash};\r\n\tb=x\r\n`,
  );
  const result = await parseMessage(
    Buffer.from(`${lines.join('')}From: a@example.com\r\n\r\n${body}`, 'latin1'),
  );
  if (!result.ok) throw new Error(result.reason);
  return result.mail.signedBodies.map(({ state }) => state);
}

/** The example of RFC 6376 3.4.5 and what mailauth makes of it, and the RFC’s hashes of the empty body in 3.4.3 and 3.4.4. */
const EXAMPLE = ' C \r\nD \t E\r\n\r\n\r\n';
const RELAXED = 'unak6JHq0wL+Q1HP7dW1tjBx9FLA6DffoZ0qrLwbbpo=';
const EMPTY_SIMPLE = 'frcCV1k9oG9oKj3dpUqdJg1PxRT2RSN/XKdLCPjaYaY=';
const EMPTY_RELAXED = '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=';

describe('the body hash of a signature', () => {
  it('does not depend on what a transport changes', async () => {
    const signature = { hash: RELAXED };
    for (const body of [EXAMPLE, EXAMPLE.replaceAll('\r\n', '\n'), ' C\r\nD E', ' C\t \r\nD  E\r\n\r\n'])
      expect(await statesOf(body, signature)).toEqual(['intact']);
    expect(await statesOf(`${EXAMPLE}F`, signature)).toEqual(['changed']);
  });

  it('is that of an empty body in both forms', async () => {
    expect(await statesOf('\r\n\r\n', { form: 'simple', hash: EMPTY_SIMPLE })).toEqual(['intact']);
    expect(await statesOf('', { form: 'relaxed/simple', hash: EMPTY_SIMPLE })).toEqual(['intact']);
    expect(await statesOf(' \r\n\r\n', { hash: EMPTY_RELAXED })).toEqual(['intact']);
  });

  it('says which text stands behind the signed part', async () => {
    expect(await statesOf('anything', { hash: EMPTY_RELAXED, limit: 0 })).toEqual(['extended']);
  });

  it('judges neither unknown methods nor lines that a mailbox file may have quoted', async () => {
    expect(await statesOf('x', { hash: 'AAAA', algorithm: 'rsa-sha512' })).toEqual(['unknown']);
    expect(await statesOf('x', { hash: 'AAAA', form: 'relaxed/nofws' })).toEqual(['unknown']);
    expect(await statesOf('x', { hash: '' })).toEqual(['unknown']);
    expect(await statesOf('>From here on\r\n', { hash: RELAXED })).toEqual(['unknown']);
  });

  it('is looked for in the first five signatures', async () => {
    expect(await statesOf(EXAMPLE, ...Array.from({ length: 9 }, () => ({ hash: RELAXED })))).toHaveLength(5);
  });

  it('is not asked of a mail that was made of an Outlook message', async () => {
    const raw =
      'X-Parapet-Converted: from an Outlook message\r\nDKIM-Signature: a=rsa-sha256; d=a.example; bh=A\r\n\r\nx';
    const result = await parseMessage(Buffer.from(raw));
    expect(result.ok && result.mail.signedBodies).toEqual([]);
  });
});
