/**
 * Signatures of DKIM against the example of RFC 8463, and against signatures that mailauth 7.1 made, with their keys in a
 * file beside the evidence.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectLinear } from '#tests/support/growth.ts';
import { openEvidence } from '../../evidence/source.ts';
import { ingestEvidence } from '../../import/ingest-evidence.ts';
import type { SqliteStore } from '../../store-sqlite/sqlite-store.ts';
import { NO_KEYS, readDkimKeys } from './dkim-keys.ts';
import { isSignature } from './dkim-signature.ts';
import { parseMessage } from './parse.ts';
import { DEFAULT_LIMITS } from './types.ts';

const RFC_KEYS = readDkimKeys(`; RFC 8463 A.2
brisbane._domainkey.football.example.com. IN TXT (
 "v=DKIM1; k=ed25519; " ; the new one
 "p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=" )
$ORIGIN football.example.com.
test._domainkey 3600 IN TXT "v=DKIM1; k=rsa; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDkHlOQoBTzWR" "iGs5V6NpP3idY6Wk08a5qhdR6wy5bdOKb2jLQiY/J16JYi0Qvx/byYzCNb3W91y3FutACDfzwQ/BC/e/8uBsCR+yz1Lxj+PL6lHvqMKrM3rG4hstT5QjvHO9PzoxZyVYLzBfO2EeC3Ip3G+2kryOTIKT+l/K4w3QIDAQAB"
`);
const RFC_MAIL = `DKIM-Signature: v=1; a=ed25519-sha256; c=relaxed/relaxed;
 d=football.example.com; i=@football.example.com;
 q=dns/txt; s=brisbane; t=1528637909; h=from : to :
 subject : date : message-id : from : subject : date;
 bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=;
 b=/gCrinpcQOoIfuHNQIbq4pgh9kyIK3AQUdt9OdqQehSwhEIug4D11Bus
 Fa3bT3FY5OsU7ZbnKELq+eXdp1Q1Dw==
DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed;
 d=football.example.com; i=@football.example.com;
 q=dns/txt; s=test; t=1528637909; h=from : to : subject :
 date : message-id : from : subject : date;
 bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=;
 b=F45dVWDfMbQDGHJFlXUNB2HKfbCeLRyhDXgFpEL8GwpsRe0IeIixNTe3
 DhCVlUrSjV4BwcVcOF6+FF3Zo9Rpo1tFOeS9mPYQTnGdaSGsgeefOsk2Jz
 dA+L10TeYt9BgDfQNZtKdN1WO//KgIqXP7OdEFE4LjFYNcUxZQ4FADY+8=
From: Joe SixPack <joe@football.example.com>
To: Suzie Q <suzie@shopping.example.net>
Subject: Is dinner ready?
Date: Fri, 11 Jul 2003 21:00:37 -0700 (PDT)
Message-ID: <20030712040037.46341.5F8J@football.example.com>

Hi.

We lost the game.  Are you hungry yet?

Joe.
`;

const KEY =
  'v=DKIM1; k=rsa; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDGOxOr3ZDxtKf5BNtlEECQUwVrApBXcsxenR64HjwHcvIyjXh/a8eYLtS84GZzlf9Pz6xCdjIQoJujZtMFSqyucWoxzjmtwRYwxq94RJEGci/9NH0Rtocmnp25WuYgWesuLfXDHPpI0rsn4LW8of4SsNcMyELyo6nHLuvjAbTIxwIDAQAB';
const MAIL =
  'From: Ann <ann@signer.example>\r\nTo: bo@corp.example\r\nSubject:  Two   words\r\n\tfolded\r\nDate: Thu, 26 Nov 2026 08:00:00 +0000\r\nX-Spam:  yes\r\n\r\nHello  there \r\n\r\nBye\r\n\r\n';
const SIMPLE = [
  'DKIM-Signature: v=1; a=rsa-sha256; c=simple/simple; d=signer.example;',
  ' h=X-Spam: Date: Subject: To: From; q=dns/txt; s=s1; t=1795680000;',
  ' bh=RfK6axyS0sZefK6KfRi1gURjcccvTK+UkS/ZTUcdkmk=;',
  ' b=j+WEdaE1P3YR8bRRcurgpJNYyuNGyzTcax/s8FRXIqrmPSYe0TIZZ5HGMSat9z4ZTZuZz3QBp',
  ' W5uGoN6hyziBSGHyYGi8mR23elMqD9bSVgiI9X1ojWIQduwgirbh5NtJ/f3xe8x1wq9B3ZuAb+q',
  ' t1W2e1iEF7eCpMb27LIxIjE=',
].join('\r\n');
const MIXED = [
  'DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/simple; d=signer.example;',
  ' h=X-Spam: Date: Subject: To: From; q=dns/txt; s=s1; t=1795680000;',
  ' bh=RfK6axyS0sZefK6KfRi1gURjcccvTK+UkS/ZTUcdkmk=;',
  ' b=Z7/7mIUQwZmVmxC+a6jLiyPyeeWaq6ifp4AQRqHaklJNQ0O4KwwlX/RbK98vwJF57D9OoLOW2',
  ' Et9wnmi72o710X1TTPq4B5tzCDZQ9PHXpT39FPwegxBgINakhVVIQUbMQ5MoYQ6+vHw1EYdfiCF',
  ' W5ZqmRRylmSh7fVpkYq+fo8=',
].join('\r\n');
const RELAXED = [
  'DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=signer.example;',
  ' h=X-Spam: Date: Subject: To: From; q=dns/txt; s=s1; t=1795680000;',
  ' bh=/z6rRz1ID0pdJn8fAGecIbfeylcEi/yI7RSXutB+KOo=;',
  ' b=Qqk0JtNzIGdrk6EUaFJEG8ezq8ZACQg9sRvjcb/vsAZkd2v0iDiACf6cnsDs7fbIv5ZPpoU5/',
  ' DblkgFlu1gIz7qaBFa3xmC5gCTzwBWIULKGjTI3I4JZNfjkZC5KG90g7ebx9U84n+hdGJPvQQ92',
  ' meKeO15lAo2P7ISBmorB5NQ=',
].join('\r\n');
/** l=5, and an end of its validity. */
const LIMITED = [
  'DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=signer.example;',
  ' h=Date: Subject: To: From; l=5; q=dns/txt; s=s1; t=1795680000;',
  ' x=1795766400; bh=GF+NsyJx/iX1Yab8k4suJkMG7DBO2lGAB9F2SCY4GWk=;',
  ' b=eYV0AvxVpVmPrn7/MVBCgQYFr9uHzJE0Nqgnx7vcD5wmK+G7ku9XfZHWP5CwcfDCP3cTEelis',
  ' TFPi+I+lhPO+4E1U3f/Fs6QMqbLxCUU/Se8S7Or3hDLMIz52Xi1CMpZiOtNJnkgx9d0M/MzDWip',
  ' 8KHOGjfWJyTGeN0MPYErFLI=',
].join('\r\n');

const keyed = (record = KEY, selector = 's1') =>
  readDkimKeys(`${selector}._domainkey.signer.example. TXT "${record}"`);

async function readSigned(raw: string, keys = keyed()) {
  const result = await parseMessage(Buffer.from(raw, 'latin1'), DEFAULT_LIMITS, [], false, undefined, keys);
  if (!result.ok) throw new Error(result.reason);
  return result.mail;
}
const outcome = async (raw: string, keys = keyed()) =>
  (await readSigned(raw, keys)).signedBodies.map(({ fits, unverified }) => unverified ?? fits);

describe('a signature', () => {
  it('fits the keys of the RFC, also where only the ends of lines changed', async () => {
    expect(await outcome(RFC_MAIL.replaceAll('\n', '\r\n'), RFC_KEYS)).toEqual([true, true]);
    expect(await outcome(RFC_MAIL, RFC_KEYS)).toEqual([true, true]);
    const other = RFC_MAIL.replace('Is dinner ready?', 'Is lunch ready?');
    expect(await outcome(other, RFC_KEYS)).toEqual([false, false]);
    // The names that are listed twice leave no room for another field.
    expect(await outcome(RFC_MAIL.replace('To: ', 'Subject: Look\nTo: '), RFC_KEYS)).toEqual([false, false]);
  });

  it.each([
    ['simple', SIMPLE],
    ['relaxed over simple', MIXED],
    ['relaxed', RELAXED],
    ['limited', LIMITED],
  ])('in the form %s, as another program made it, fits', async (_, signature) => {
    expect(await outcome(`${signature}\r\n${MAIL}`)).toEqual([true]);
    expect(await outcome(`${signature}\r\n${MAIL.replace('bo@', 'eve@')}`)).toEqual([false]);
    expect(await outcome(`${signature.replace('t=1795680000', 't=1795680001')}\r\n${MAIL}`)).toEqual([false]);
  });

  it('bears what its form allows to change, and nothing else', async () => {
    const folded = MAIL.replace('Two   words\r\n\tfolded', 'Two words folded  ').replace('To:', 'TO :');
    expect(await outcome(`${RELAXED}\r\n${folded}`)).toEqual([true]);
    expect(await outcome(`${SIMPLE}\r\n${folded}`)).toEqual([false]);
    expect(await outcome(`Received: from a by b\r\n${SIMPLE}\r\n${MAIL}`)).toEqual([true]);
  });

  it('of a body that changed is not verified, and one that signs a part says so', async () => {
    expect(await readSigned(`${RELAXED}\r\n${MAIL}More`)).toMatchObject({
      signedBodies: [{ state: 'changed', fits: null }],
    });
    expect(await readSigned(`${LIMITED}\r\n${MAIL}More`)).toMatchObject({
      signedBodies: [{ state: 'extended', fits: true }],
    });
  });

  it.each([
    ['no key of its name', keyed(KEY, 's2'), 'No key given for s1._domainkey.signer.example'],
    ['a revoked key', keyed('v=DKIM1; p='), 'its key was revoked'],
    ['a key of another kind', keyed(KEY.replace('rsa', 'ed25519')), 'not for such signatures'],
    ['a damaged key', keyed('v=DKIM1; p=AAAA'), 'not for such signatures'],
    ['a key for other hashes', keyed(`${KEY}; h=sha1`), 'not for such signatures'],
    ['a key for other services', keyed(`${KEY}; s=other`), 'not for such signatures'],
    ['a key of another version', keyed(KEY.replace('DKIM1', 'DKIM2')), 'not for such signatures'],
  ])('with %s is not verified, and says why', async (_, keys, words) => {
    const mail = await readSigned(`${RELAXED}\r\n${MAIL}`, keys);
    expect(mail.signedBodies).toMatchObject([{ fits: null, unverified: expect.stringContaining(words) }]);
    expect(mail.unsearched).toEqual([expect.stringContaining(words)]);
  });

  it.each([
    ['an old method', RELAXED.replace('rsa-sha256', 'rsa-sha1'), MAIL, 'body hash cannot|changed'],
    ['several From lines', RELAXED, `From: eve@evil.example\r\n${MAIL}`, 'several From lines'],
    ['no From in it', RELAXED.replace('To: From;', 'To;'), MAIL, 'does not cover From'],
    [
      'an end before it was received',
      LIMITED,
      `Received: from a by b; Sat, 28 Nov 2026 08:00:00 +0000\r\n${MAIL}`,
      'expired',
    ],
    ['a damaged header', RELAXED, `Subject: a\r\nbroken line\r\n${MAIL}`, 'too long or damaged'],
    ['a foreign agent', RELAXED.replace('s=s1;', 's=s1; i=@evil.example;'), MAIL, 'domain that may not be'],
  ])('with %s proves nothing', async (_, signature, mail, words) => {
    const [signed] = (await readSigned(`${signature}\r\n${mail}`)).signedBodies;
    expect(signed?.fits).toBeNull();
    expect(signed?.unverified ?? signed?.state).toMatch(new RegExp(words));
  });

  it('is not spoken of where no keys were given', async () => {
    const mail = await readSigned(`${RELAXED}\r\n${MAIL}`, NO_KEYS);
    expect(mail).toMatchObject({ signedBodies: [{ fits: null, unverified: null }], unsearched: [] });
  });
});

it('keys are read as zone files and dig write them, and hostile lines hold nothing up', () => {
  const text = [
    '# mine',
    'A._DomainKey.One.Example 300 IN TXT "v=DKIM1; p=AA" "BB"',
    'b._domainkey.one.example TXT v=DKIM1; p=CC',
    'c._domainkey.one.example. IN 3600 TXT ( "v=DKIM1; " ; a comment with )',
    '  "p=DD" ) ; ----- DKIM key',
    'one.example. IN TXT "v=spf1 -all"',
    'nonsense',
    `${'a'.repeat(100_000)} TXT ${'"'.repeat(100_000)}`,
    'open._domainkey.one.example TXT (',
    ...Array.from({ length: 1_000 }, () => '"x'),
  ].join('\n');
  const began = performance.now();
  expect(Object.fromEntries(readDkimKeys(text))).toMatchObject({
    'a._domainkey.one.example': 'v=DKIM1; p=AABB',
    'b._domainkey.one.example': 'v=DKIM1; p=CC',
    'c._domainkey.one.example': 'v=DKIM1; p=DD',
  });
  expect(performance.now() - began).toBeLessThan(2_000);
});

describe('evidence with a file of keys beside it', () => {
  let folder: string;
  let store: SqliteStore;
  const mails = () => join(folder, 'mail');
  const keys = (text: string) => writeFileSync(`${mails()}.dkim-keys.txt`, text);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'parapet-dkim-'));
    mkdirSync(mails());
    store = openEvidence({ path: ':memory:' });
    writeFileSync(join(mails(), 'a.eml'), `${RELAXED}\r\n${MAIL}`);
  });
  afterEach(() => {
    store.close();
    rmSync(folder, { recursive: true });
  });
  const read = () => ingestEvidence(store, mails());
  const results = () =>
    store.db
      .prepare<unknown[], { check_id: string; weight: number }>(
        "SELECT check_id, weight FROM findings WHERE check_id LIKE 'authentication.signature%'",
      )
      .all();

  it('a verified signature of the sender’s domain speaks for the mail, and one that fails against it', async () => {
    await read();
    expect(results()).toEqual([]);
    keys(`s1._domainkey.signer.example TXT "${KEY}"`);
    expect((await read()).imported).toBe(1);
    expect(results()).toEqual([{ check_id: 'authentication.signature-verified', weight: -1.5 }]);
    // With the same keys nothing is read again.
    expect((await read()).imported).toBe(0);
    writeFileSync(join(mails(), 'b.eml'), `${RELAXED}\r\n${MAIL.replace('X-Spam:  yes', 'X-Spam: no')}`);
    await read();
    expect(results().slice(1)).toEqual([{ check_id: 'authentication.signature-failed', weight: 1 }]);
  });

  it('keys of another domain, or in the evidence itself, do not speak for it', async () => {
    writeFileSync(join(mails(), 'mail.dkim-keys.txt'), `s1._domainkey.signer.example TXT "${KEY}"`);
    keys(`s1._domainkey.other.example TXT "${KEY}"`);
    await read();
    expect(results()).toEqual([]);
    const unchecked = JSON.stringify(store.db.prepare('SELECT detail FROM emails').pluck().all());
    expect(unchecked).toContain('No key given for s1._domainkey.signer.example');
  });

  it('a folder, or a pipe that never ends, in its place is a problem as well', async () => {
    mkdirSync(`${mails()}.dkim-keys.txt`);
    const { problems } = await read();
    expect(problems.map(({ reason }) => reason)).toEqual(['the keys of DKIM are not a file']);
  });

  it('a file without a key is a problem of the evidence, until it has one', async () => {
    keys('nothing');
    const { problems } = await read();
    expect(problems).toContainEqual({
      file: 'mail.dkim-keys.txt',
      offset: null,
      reason: 'it holds no keys of DKIM: signatures are not verified',
    });
    keys(`s1._domainkey.signer.example TXT "${KEY}"`);
    expect((await read()).problems).toEqual([]);
  });
});

it('reads the name of a field with a run of spaces in linear time', () =>
  expectLinear(80_000, (count) => {
    expect(isSignature(`DKIM-Signature${' '.repeat(count)}: v=1`)).toBe(true);
    expect(isSignature(`DKIM-Signature${' '.repeat(count)}x: v=1`)).toBe(false);
  }));
