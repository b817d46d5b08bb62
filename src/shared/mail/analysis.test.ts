import { describe, expect, it } from 'vitest';
import { analyseHeaders } from './analysis.ts';
import { parseHeaders } from './headers.ts';
import { parseHops, parseReceived } from './received.ts';
import { durationWords } from './words.ts';

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const analyse = (...lines: string[]) =>
  analyseHeaders(parseHeaders(lines.join('\r\n'), decode).headers, decode);
const STAMP = 'Received: from a.test by mx.corp.test with ESMTPS; Mon, 1 Jan 2024 10:00:00 +0000';
const FROM = 'From: Shop <news@shop.example.com>';

describe('authentication', () => {
  it.each([
    [
      'all pass, aligned',
      'mx.corp.test; spf=pass smtp.mailfrom=b@mail.example.com; dkim=pass header.d=example.com header.s=k1; dmarc=pass header.from=shop.example.com',
      {
        spf: ['pass', 'mail.example.com', true],
        dkim: ['pass', 'example.com', true],
        dmarc: ['pass', 'shop.example.com', true],
      },
    ],
    [
      'pass for another domain',
      'mx.corp.test; spf=pass (ok) smtp.mailfrom=x@bulk.example.net; dkim=pass header.i=@bulk.example.net; dmarc=fail (p=REJECT) header.from=shop.example.com',
      {
        spf: ['pass', 'bulk.example.net', false],
        dkim: ['pass', 'bulk.example.net', false],
        dmarc: ['fail', 'shop.example.com', true],
      },
    ],
    [
      'no server name, comments, odd spacing',
      'spf=softfail (sender IP is 192.0.2.1) smtp.mailfrom=example.com;dkim=none (message not signed) header.d=none;dmarc=none action=none header.from=example.com;compauth=fail reason=001',
      {
        spf: ['softfail', 'example.com', true],
        dkim: ['none', 'none', false],
        dmarc: ['none', 'example.com', true],
      },
    ],
    [
      'unknown words are kept',
      'mx.corp.test 1; spf=hardfail smtp.mailfrom=example.com; dmarc=bestguesspass header.from=shop.example.com',
      {
        spf: ['hardfail', 'example.com', true],
        dkim: undefined,
        dmarc: ['bestguesspass', 'shop.example.com', true],
      },
    ],
    [
      'temporary and permanent errors',
      'mx.corp.test; spf=temperror smtp.helo=h.example.com; dkim=permerror header.d=example.com; dmarc=permerror header.from=x',
      {
        spf: ['temperror', 'h.example.com', true],
        dkim: ['permerror', 'example.com', true],
        dmarc: ['permerror', 'x', false],
      },
    ],
    ['nothing checked', 'mx.corp.test; none', { spf: undefined, dkim: undefined, dmarc: undefined }],
  ])('%s', (_, value, expected) => {
    const { spf, dkim, dmarc } = analyse(FROM, `Authentication-Results: ${value}`);
    const short = (result: (typeof dkim)[number] | null | undefined) =>
      result ? [result.result, result.domain, result.aligned] : undefined;
    expect({ spf: short(spf), dkim: short(dkim[0]), dmarc: short(dmarc) }).toEqual(expected);
  });

  it.each([
    [
      'properties before the result, no semicolon behind the server (Yahoo)',
      'mx.corp.test  header.i=@a.test header.s=s1 dkim=pass (ok) header.i=@b.test header.s=s2 dkim=pass (ok); spfDomain=em.a.test spfResult=pass; dmarc=pass(p=none) header.from=a.test',
      [
        'dkim=pass a.test claimed',
        'dkim=pass b.test claimed',
        'spf=pass em.a.test claimed',
        'dmarc=pass a.test vouched',
      ],
    ],
    [
      'no semicolon behind the server',
      'mx.corp.test spf=fail smtp.mailfrom=a.test; dkim=pass header.d=a.test',
      ['spf=fail a.test claimed', 'dkim=pass a.test vouched'],
    ],
    [
      'no semicolon between results',
      'mx.corp.test; spf=fail smtp.mailfrom=a.test dkim=pass header.d=b.test dmarc=fail header.from=c.test',
      ['spf=fail a.test vouched', 'dkim=pass b.test claimed', 'dmarc=fail c.test claimed'],
    ],
    [
      'a name of the sender that looks like a result',
      'mx.corp.test; spf=fail smtp.helo=x dmarc=pass; dmarc=fail header.from=a.test',
      ['spf=fail x vouched', 'dmarc=pass null claimed', 'dmarc=fail a.test vouched'],
    ],
  ])('reads %s, but trusts no guess', (_, value, expected) => {
    const { results } = analyse(`Authentication-Results: ${value}`, STAMP, 'From: a@a.test');
    expect(
      results.map(({ method, result, domain, trust }) => `${method}=${result} ${domain} ${trust}`).sort(),
    ).toEqual(expected.toSorted());
    expect(results.every(({ isGuessed, trust }) => isGuessed === (trust === 'claimed'))).toBe(true);
  });

  const trusted = (...lines: string[]) => {
    const analysis = analyse(...lines, FROM);
    return {
      server: analysis.authServer,
      results: analysis.results.map(({ method, result, trust }) => `${method}=${result} ${trust}`),
      good: analysis.summary.filter(({ tone }) => tone === 'good').length,
      words: analysis.summary.map(({ text }) => text).join(' '),
    };
  };
  const PASS = 'Authentication-Results: mx.corp.test; spf=pass smtp.mailfrom=example.com';

  it('[spec 7] trusts only results above the topmost Received, written by its server', () => {
    const results = trusted(
      'Authentication-Results: mx.corp.test; spf=fail smtp.mailfrom=example.com',
      'Authentication-Results: mx.corp.test; dkim=fail header.d=example.com',
      'Authentication-Results: evil.test; dmarc=pass header.from=shop.example.com',
      STAMP,
      'Authentication-Results: mx.corp.test; spf=pass smtp.mailfrom=example.com',
      'Authentication-Results: mx.corp.test; dkim=pass header.d=example.com',
    );
    expect(results.server).toBe('mx.corp.test');
    expect(results.results).toEqual([
      'spf=fail vouched',
      'dkim=fail vouched',
      'dmarc=pass claimed',
      'spf=pass claimed',
      'dkim=pass claimed',
    ]);
    expect(results.good).toBe(0);
    expect(results.words).toContain('the sender could have written');
  });

  it.each([
    ['below every Received', [STAMP, PASS]],
    ['without any Received', [PASS]],
    ['of a server that did not take the mail', [PASS.replace('corp', 'evil'), STAMP]],
    ['without a name', ['Authentication-Results: spf=pass smtp.mailfrom=example.com', STAMP]],
    [
      'of a neighbour on a shared suffix',
      [PASS.replace('mx.corp.test', 'evil.github.io'), STAMP.replace('mx.corp.test', 'mx.github.io')],
    ],
    [
      'of a Received-SPF alone',
      [STAMP, 'Received-SPF: pass (mx.corp.test: domain of x) receiver=mx.corp.test'],
    ],
  ])('shows no pass for results %s', (_, lines) => {
    const results = trusted(...lines);
    expect(results.server).toBeNull();
    expect(results.good).toBe(0);
    expect(results.results).toEqual(['spf=pass claimed']);
    expect(results.words).toContain('unverified claims: none of them stands');
  });

  it('trusts a server that the analyst named, above its own topmost Received', () => {
    const results = (believed: string[], ...lines: string[]) =>
      analyseHeaders(
        parseHeaders([...lines, FROM].join('\r\n'), decode).headers,
        decode,
        believed,
      ).results.map(({ result, trust }) => `${result} ${trust}`);
    const inner = 'Received: from edge.test by store.test; Mon, 1 Jan 2024 10:00:09 +0000';
    const forged = PASS.replace('pass', 'neutral');
    expect(results([], inner, PASS, STAMP, forged)).toEqual(['pass claimed', 'neutral claimed']);
    expect(results(['mx.corp.test'], inner, PASS, STAMP, forged)).toEqual([
      'pass vouched',
      'neutral claimed',
    ]);
  });

  it.each([
    ['dmarc', 'dmarc=pass header.from=example.com; dmarc=fail header.from=example.com', 'fail'],
    ['spf', 'spf=pass smtp.mailfrom=a.test; spf=softfail smtp.mailfrom=a.test', 'softfail'],
    ['spf', 'spf=none smtp.helo=h.test; spf=pass smtp.mailfrom=a.test', 'pass'],
    ['dkim', 'dkim=pass header.d=a.test header.s=x; dkim=fail header.d=a.test header.s=x', 'fail'],
    ['dmarc', 'dmarc=fail reason="a\\"; dmarc=pass \\"b" header.from=example.com', 'fail'],
    ['dmarc', 'spf=fail smtp.mailfrom="x\\"; dmarc=pass b"@evil.test; dmarc=fail', 'fail'],
    ['dmarc', 'spf=fail (of \\) ; dmarc=pass \\() smtp.mailfrom=a; dmarc=fail', 'fail'],
    ['dmarc', 'spf=fail (a (b \\) c) ; dmarc=pass) x=1; dmarc=fail', 'fail'],
    ['dmarc', 'dmarc (c) = (d) fail', 'fail'],
  ])('takes the worse of contradicting results of %s in "%s"', (method, value, expected) => {
    const analysis = analyse(`Authentication-Results: mx.corp.test; ${value}`, STAMP, FROM);
    expect(
      [analysis.dmarc, analysis.spf, analysis.dkim[0]].find((item) => item?.method === method)?.result,
    ).toBe(expected);
  });

  it('reads a quoted local part as a whole', () => {
    const { spf } = analyse(
      'Authentication-Results: mx.corp.test; spf=pass smtp.mailfrom="a \\"b@x.test"@evil.test',
      STAMP,
      FROM,
    );
    expect([spf?.domain, spf?.properties['smtp.mailfrom']]).toEqual(['evil.test', 'a "b@x.test@evil.test']);
  });

  it('reads Received-SPF and lists unchecked signatures', () => {
    const analysis = analyse(
      'Received-SPF: pass (mx.corp.test: domain of b@mail.example.com designates 192.0.2.7 as permitted sender) client-ip=192.0.2.7;',
      'DKIM-Signature: v=1; a=rsa-sha256; d=Example.com; s=k1; b=abc',
      FROM,
    );
    expect([analysis.spf?.result, analysis.spf?.domain, analysis.spf?.aligned]).toEqual([
      'pass',
      'mail.example.com',
      true,
    ]);
    expect(analysis.dkim.map(({ result, domain, trust }) => [result, domain, trust])).toEqual([
      ['unchecked', 'example.com', 'presence'],
    ]);
  });

  it('reads an ARC chain, oldest first', () => {
    const { arc } = analyse(
      'Authentication-Results: mx.corp.test; arc=pass (i=2)',
      'ARC-Seal: i=2; a=rsa-sha256; d=list.test; s=s; cv=pass; b=x',
      'ARC-Authentication-Results: i=2; list.test; spf=pass smtp.mailfrom=list.test',
      'ARC-Seal: i=1; a=rsa-sha256; d=first.test; s=s; cv=none; b=x',
      'ARC-Authentication-Results: i=1; first.test; dkim=pass header.d=example.com',
      FROM,
    );
    expect(arc?.result).toBe('pass');
    expect(
      arc?.instances.map(({ instance, domain, chain, results }) => [
        instance,
        domain,
        chain,
        results[0]?.method,
      ]),
    ).toEqual([
      [1, 'first.test', 'none', 'dkim'],
      [2, 'list.test', 'pass', 'spf'],
    ]);
  });

  it('says when no server checked', () => {
    expect(analyse(FROM).summary.map(({ text }) => text)).toContain(
      'No header reports a check of SPF, DKIM or DMARC; the sender is unverified.',
    );
  });

  it('says that results like those of Microsoft name no server', () => {
    const { summary } = analyse(
      FROM,
      'Authentication-Results: spf=fail (sender IP is 192.0.2.1) smtp.mailfrom=x.test',
    );
    expect(summary.map(({ text }) => text).join()).toContain(
      'according to a header that names no server and that the sender could have written',
    );
  });

  it.each([['('], [';'], ['a=b;'], ['"'], ['='], ['a ']])('survives a run of %s', (piece) => {
    expect(analyse(FROM, `Authentication-Results: ${piece.repeat(200_000)}`).from?.domain).toBe(
      'shop.example.com',
    );
  });
});

describe('[limit 5 signatures] many signatures', () => {
  const signed = (count: number) => {
    const passed = Array.from({ length: count }, (_, index) => `dkim=pass header.d=mine${index}.test`);
    const value = [...passed, 'dkim=fail header.d=bank.test', 'dkim=pass header.d=example.com'].join('; ');
    return analyse(STAMP, `Authentication-Results: mx.corp.test; ${value}`, FROM)
      .summary.map(({ text }) => text)
      .filter((text) => text.includes('DKIM'));
  };

  it('that a sender adds do not hide a failed one, or that of From', () => {
    const lines = signed(40);
    expect(lines[0]).toContain('DKIM: the mail left example.com');
    expect(lines[1]).toContain('DKIM failed: the signature of bank.test');
    expect(lines.join()).toContain('37 more DKIM signatures');
    expect(signed(3).join()).not.toContain('more DKIM');
    expect(signed(4).join()).toContain('1 more DKIM signature is');
  });

  it("claimed for the domain of From come after results of the recipient's server", () => {
    const claims = Array.from(
      { length: 9 },
      (_, index) => `dkim=pass header.d=example.com header.s=k${index}`,
    );
    const [first] = analyse(
      'Authentication-Results: mx.corp.test; dkim=fail header.d=bank.test',
      STAMP,
      `Authentication-Results: mx.corp.test; ${claims.join('; ')}`,
      FROM,
    ).summary;
    expect(first?.text).toContain('DKIM failed: the signature of bank.test');
  });

  it('of one domain are one sentence, such as keys of two kinds', () => {
    const keys = 'dkim=pass header.d=example.com header.s=rsa; dkim=pass header.d=example.com header.s=ed';
    const texts = analyse(STAMP, `Authentication-Results: mx.corp.test; ${keys}`, FROM).summary.map(
      ({ text }) => text,
    );
    expect(texts.filter((text) => text.includes('DKIM: the mail left'))).toHaveLength(1);
    expect(texts.join()).not.toContain('more DKIM');
  });
});

describe('mismatches', () => {
  it.each([
    ['none', [FROM, 'Reply-To: news@shop.example.com', 'Return-Path: <b@mail.example.com>'], []],
    ['replies elsewhere', [FROM, 'Reply-To: a@evil.test'], ['reply-to warning']],
    ['replies to the same house', [FROM, 'Reply-To: help@example.com'], ['reply-to notice']],
    ['bounces elsewhere', [FROM, 'Return-Path: <b@bulk.test>'], ['return-path notice']],
    ['empty return path', [FROM, 'Return-Path: <>'], []],
    ['sent on behalf', [FROM, 'Sender: x@agency.test'], ['sender warning']],
    ['posing display name', ['From: "boss@bank.test" <a@evil.test>'], ['display-name warning']],
    ['encoded posing name', ['From: =?utf-8?Q?boss=40bank.test?= <a@evil.test>'], ['display-name warning']],
    ['two From headers', [FROM, 'From: b@evil.test'], ['several-from warning']],
    ['a stray comma', ['From: PayPal Security, <evil@attacker.test>'], []],
    ['two mailboxes', ['From: a@x.test, b@y.test'], ['several-from warning']],
    ['two addresses in brackets', ['From: Ann <a@x.test> <b@y.test>'], ['several-from warning']],
    ['no From', ['Subject: x'], ['no-from warning']],
    ['From without address', ['From: Somebody'], ['no-from warning']],
    ['a domain that cannot exist', ['From: a@%bank.test'], ['no-such-domain warning']],
    ['a comma in the domain', ['From: Ann <a@bank,test>'], ['no-such-domain warning']],
    ['an invisible sign in the domain', ['From: a@bank\u200b.test'], ['no-such-domain warning']],
    ['an address for a domain', ['From: a@[192.0.2.1]'], []],
    ['an address before that in brackets', ['From: "b@bank.test", <a@x.test>'], ['display-name warning']],
    ['an address in quotation marks', ['From: Ann <"a@x.test">'], []],
    ['mixed alphabets', ['From: a@раypal.example'], ['look-alike warning']],
    ['one foreign alphabet', ['From: a@xn--bcher-kva.example'], ['look-alike notice']],
  ])('%s', (_, lines, expected) => {
    expect(analyse(...lines).mismatches.map(({ kind, severity }) => `${kind} ${severity}`)).toEqual(expected);
  });

  it('takes the first mailbox with a domain as the sender, and the text before it as its name', () => {
    const { from } = analyse('From: PayPal Security, <Evil@attacker.test>');
    expect([from?.name, from?.address, from?.domain]).toEqual([
      'PayPal Security',
      'Evil@attacker.test',
      'attacker.test',
    ]);
  });

  it('describes them in words', () => {
    expect(analyse(FROM, 'Reply-To: a@evil.test').summary.map(({ text }) => text)).toContain(
      'Replies go to another domain: a@evil.test (From: news@shop.example.com).',
    );
  });
});

describe('hops', () => {
  it.each([
    [
      'from out.example.com (out.example.com [192.0.2.7]) by mx.corp.test (Postfix) with ESMTPS id ABC (version=TLS1_3 cipher=TLS_AES_256_GCM_SHA384) for <u@corp.test>; Mon, 1 Jan 2024 10:00:05 +0000',
      [
        'out.example.com',
        '192.0.2.7',
        'mx.corp.test',
        'ESMTPS',
        true,
        'ABC',
        'u@corp.test',
        '2024-01-01T10:00:05.000Z',
      ],
    ],
    [
      'from [198.51.100.4] (helo=x) by a.test with esmtpa (Exim 4) id 1; 1 Jan 2024 10:00 +0100',
      ['[198.51.100.4]', '198.51.100.4', 'a.test', 'esmtpa', false, '1', null, '2024-01-01T09:00:00.000Z'],
    ],
    [
      'from a.test (2001:db8::1) by b.test (2001:db8::2) with Microsoft SMTP Server (version=TLS1_2, cipher=X) id 15.20; Mon, 1 Jan 2024 10:00:00 +0000',
      ['a.test', '2001:db8::1', 'b.test', 'Microsoft', true, '15.20', null, '2024-01-01T10:00:00.000Z'],
    ],
    [
      'by b.test; Mon, 1 Jan 2024 10:00:00 +0000',
      [null, null, 'b.test', null, null, null, null, '2024-01-01T10:00:00.000Z'],
    ],
    [
      '(qmail 123 invoked by uid 5); 1 Jan 2024 10:00:00 -0000',
      [null, null, null, null, null, null, null, '2024-01-01T10:00:00.000Z'],
    ],
    ['garbage', [null, null, null, null, null, null, null, null]],
    ['', [null, null, null, null, null, null, null, null]],
  ])('%s', (value, expected) => {
    const { from, ip, by, with: protocol, tls, id, for: recipient, time } = parseReceived(value);
    expect([
      from,
      ip,
      by,
      protocol,
      tls,
      id,
      recipient,
      time === null ? null : new Date(time).toISOString(),
    ]).toEqual(expected);
  });

  it.each([
    ['qmail', 'unknown (HELO [8.8.8.8]) (203.0.113.7) by mx.test with SMTP'],
    ['qmail with ident', 'h.test (HELO 8.8.8.8) (user@203.0.113.7) by mx.test with SMTP'],
    ['Exim', 'h.test ([203.0.113.7] helo=[8.8.8.8]) by mx.test with esmtp (Exim 4.96) id 1'],
    ['Exim with a port', 'h.test ([203.0.113.7]:2525 helo=8.8.8.8) by mx.test with esmtp'],
    ['Exim without a name', '[203.0.113.7] (port=25 helo=[8.8.8.8]) by mx.test with esmtp'],
    ['Exim with ident', 'h.test ([203.0.113.7] ident=[8.8.8.8] helo=x) by mx.test with esmtp'],
    ['Postfix', '[8.8.8.8] (unknown [203.0.113.7]) by mx.test (Postfix) with SMTP'],
    ['Postfix with a login', 'x (h.test [203.0.113.7]) (Authenticated sender: a@[8.8.8.8]) by mx.test'],
    ['Sendmail', '8.8.8.8 (IDENT:[8.8.8.8]@h.test [203.0.113.7] (may be forged)) by mx.test'],
    ['Exchange', '8.8.8.8 (203.0.113.7) by mx.test (192.0.2.1) with Microsoft SMTP Server'],
    ['Yahoo', '127.0.0.1  (EHLO 8.8.8.8) (203.0.113.7) by mta.test with SMTP'],
    ['Google', '[8.8.8.8] (h.test. [203.0.113.7]) by mx.google.com with ESMTPS id x'],
    ['CommuniGate', '[203.0.113.7] (HELO [8.8.8.8]) by mx.test'],
    ['CommuniGate with a login', '[203.0.113.7] (account a@b HELO 8.8.8.8) by mx.test'],
    ['fetchmail', 'h.test [203.0.113.7] by localhost with IMAP (fetchmail-5.9.0)'],
    ['Momentum', '([203.0.113.7:53798] helo=[8.8.8.8]) by mx.test (ecelerity 2.1) with ESMTP id 1'],
    ['Exim 3', 'h.test ([203.0.113.7.63559]) by mx.test with esmtp (v3.35.1) id 1'],
    ['Exim 3 behind a name', 'h.test (x.test) [203.0.113.7.13219] (mail) by mx.test with esmtp (Exim 3.35)'],
    ['Courier', 'x ([::ffff:203.0.113.7]) by mx.test with esmtp'],
    ['web mail', '203.0.113.7 (SquirrelMail authenticated user a); by mx.test with HTTP'],
    ['web mail of CommuniGate', '[203.0.113.7] (account a@b) by mx.test (CommuniGate Pro) with HTTPU id 1'],
    ['web mail that says so behind', '[203.0.113.7] by mx.test (via HTTP)'],
    ['nothing but the address', '([203.0.113.7]) by mx.test with Microsoft SMTPSVC(5.0)'],
    ['nothing but the bare address', '(203.0.113.7) by mx.test via smtp id 1'],
    ['web mail with a port', '203.0.113.7:51773 by mx.test with HTTP/1.1 (Lisa V1-2)'],
    ['web mail with a version', '203.0.113.7 by mx.test with HTTP/2'],
    ['a server with a port', '203.0.113.7:51773 by mx.test with ESMTP'],
    ['a server with a port behind brackets', '[203.0.113.7]:51773 by mx.test with HTTPS/1.1'],
  ])('takes the address that %s recorded, never the one of a HELO', (_, value) => {
    const hop = parseReceived(`from ${value}; Mon, 1 Jan 2024 10:20:00 +0000`);
    expect(hop.ip).toBe('203.0.113.7');
    if (value.includes('by mx.test')) expect(hop.by).toBe('mx.test');
  });
  it.each(['[8.8.8.8] by mx.test with SMTP', '8.8.8.8 by mx.test with SMTP', 'x (HELO 8.8.8.8) by mx.test'])(
    'finds no address in "from %s"',
    (value) => {
      expect(parseReceived(`from ${value}`).ip).toBeNull();
    },
  );
  it.each([
    ['h.test (tls.evil.test [203.0.113.7]) by mx.test with SMTP', false],
    ['x (TLSv1.2 [203.0.113.7]) by mx.test with SMTP', false],
    ['h.test (HELO version=TLSv1.2) (203.0.113.7) by mx.test with SMTP', false],
    ['ssl3 ([203.0.113.7] helo=TLS1.3) by mx.test with esmtp', false],
    ['x (ssl.evil.test [203.0.113.7]) by mx.test', null],
    ['x (h.test [203.0.113.7]) (using TLSv1.3 with cipher A (256/256 bits)) by mx.test with ESMTP', true],
    ['x ([203.0.113.7]) by mx.test with esmtps (TLS1.2:A:256) (Exim 4.96) id 1', true],
    ['x ([203.0.113.7]) by mx.test with esmtp (Cipher TLSv1:A:168) (Exim 3.31) id 1', true],
    ['x (203.0.113.7) by mx.test with Microsoft SMTP Server (version=TLS1_2, cipher=A) id 1', true],
  ])('encryption of "from %s" is %s', (value, expected) => {
    expect(parseReceived(`from ${value}`).tls).toBe(expected);
  });

  it.each([
    ['by a.test with SMTP id 1 2024-03-05 10:11:12.757045452 +0000 UTC m=+349867.495769315', true],
    ['by a.test with SMTP id 1 Tue Mar  5 10:11:12 2024', true],
    ['by a.test id 1 2024-03-05T10:11:12Z', true],
    ['by a.test; Tue, 5 Mar 2024 10:11:12 +0000; envelope-from x', true],
    ['by a.test; mar. 5 mars 2024 11:11:12 +0100', true],
    ['by a.test; 2024-03-05 10:11:12.757045452 +0000 UTC', false],
  ])('finds the time of "%s"; guessed: %s', (value, isGuessed) => {
    const hop = parseReceived(value);
    expect([hop.time, hop.isTimeGuessed]).toEqual([Date.UTC(2024, 2, 5, 10, 11, 12), isGuessed]);
  });

  it('[spec 7] orders oldest first, computes delays, tolerates skewed clocks', () => {
    const { headers } = parseHeaders(
      [
        'Received: by c.test; Mon, 1 Jan 2024 10:20:00 +0000',
        'Received: by b.test; Mon, 1 Jan 2024 10:00:00 +0000',
        'Received: by lost.test',
        'Received: by a.test; Mon, 1 Jan 2024 12:00:10 +0200',
      ].join('\n'),
      decode,
    );
    expect(parseHops(headers).map(({ by, delay, skewed }) => [by, delay, skewed])).toEqual([
      ['a.test', null, false],
      ['lost.test', null, false],
      ['b.test', -10_000, true],
      ['c.test', 1_200_000, false],
    ]);
    const texts = analyseHeaders(headers, decode).summary.map(({ text }) => text);
    expect(texts).toContain('It waited 20 min before c.test accepted it.');
    expect(texts).toContain('The mail passed through 4 servers in 19 min 50 s.');
  });

  it('ignores impossible times, in any position', () => {
    const { headers } = parseHeaders(
      [
        'Received: by d.test; Thu, 1 Jan 1970 00:00:00 +0000',
        'Received: by c.test; Mon, 1 Jan 2024 10:20:00 +0000',
        'Received: by forged.test; Fri, 31 Dec 9998 23:00:00 +0000',
        'Received: by b.test; Mon, 1 Jan 2024 10:00:00 +0000',
        'Received: by a.test; Mon, 1 Jan 12024 10:00:00 +0000',
      ].join('\n'),
      decode,
    );
    expect(parseHops(headers).map(({ by, delay, isImplausible }) => [by, delay, isImplausible])).toEqual([
      ['a.test', null, false],
      ['b.test', null, false],
      ['forged.test', null, true],
      ['c.test', 1_200_000, false],
      ['d.test', null, true],
    ]);
    const texts = analyseHeaders(headers, decode).summary.map(({ text }) => text);
    expect(texts).toContain('The mail passed through 5 servers in 20 min.');
    expect(texts).toContain(
      '2 of 5 Received headers have times that no mail can have; they are left out of these durations.',
    );
  });

  it.each([
    [499, 'The mail passed through 499 servers in 8 min 18 s.'],
    [500, 'The mail passed through 500 servers in 8 min 19 s.'],
    [501, 'The mail passed through 501 servers. Only the last 500 are analysed; they took 8 min 19 s.'],
    [1_500, 'The mail passed through 1,500 servers. Only the last 500 are analysed; they took 8 min 19 s.'],
  ])('[limit 500 headers] %i are counted, and at most 500 analysed', (count, words) => {
    const last = Date.UTC(2024, 0, 1, 10);
    const received = Array.from(
      { length: count },
      (_, index) => `Received: by h.test; ${new Date(last - index * 1000).toUTCString()}`,
    );
    expect(analyse(...received, FROM).summary.map(({ text }) => text)).toContain(words);
  });

  it.each([
    [850, '850 ms'],
    [12_400, '12 s'],
    [185_000, '3 min 5 s'],
    [7_800_000, '2 h 10 min'],
    [90_000_000, '1 d 1 h'],
  ])('%i is %s', (ms, words) => {
    expect(durationWords(ms)).toBe(words);
  });
});
