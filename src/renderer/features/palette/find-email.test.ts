import { describe, expect, it } from 'vitest';
import { asHeaderLine, asMessageId, bareValue, mayBeEntityId, mayBeMessageId } from './find-email.ts';

describe('asMessageId', () => {
  it.each([
    ['<CAF7x.20931.b1@mail.nordlicht.example>', '<CAF7x.20931.b1@mail.nordlicht.example>'],
    ['  <no-at-sign>\n', '<no-at-sign>'],
    ['Message-ID: <1@b.example>', '<1@b.example>'],
    ['message-id: 1@b.example', '<1@b.example>'],
    ['a@b.example', null],
    ['Invoice <a@b.example>', null],
    ['<script>alert(1)</script>', null],
    ['<a b@c.example>', null],
    [`<${'x'.repeat(2000)}@b.example>`, null],
    ['', null],
  ])('%j is %j', (text, id) => expect(asMessageId(text)).toBe(id));
});

describe('mayBeMessageId: as “Copy Message-ID” gives it, without brackets', () => {
  it.each([
    ['CAF7x.20931.b1@mail.nordlicht.example', '<CAF7x.20931.b1@mail.nordlicht.example>'],
    ['1@localhost', '<1@localhost>'],
    ['https://a.example/@me', null],
    ['two words@b.example', null],
    ['invoice', null],
    ['@b.example', null],
  ])('%j is %j', (text, id) => expect(mayBeMessageId(text)).toBe(id));
});

describe('mayBeEntityId', () => {
  it.each([
    ['5f2b8c0d9e1a4b7c8d9e0f1a2b3c4d5e', '5f2b8c0d9e1a4b7c8d9e0f1a2b3c4d5e'],
    ['click-0000000000123', 'click-0000000000123'],
    ['quarantine-everything', null],
    ['a.example', null],
    ['12345', null],
  ])('%j is %j', (text, id) => expect(mayBeEntityId(text)).toBe(id));
});

it.each([
  ['mailto:m@a.example', 'm@a.example'],
  ['MAILTO:m@a.example?subject=Hello', 'm@a.example'],
  ['203.0.113.77:443', '203.0.113.77'],
  ['203[.]0[.]113[.]77:443', '203.0.113.77'],
  ['[2001:db8::3]:8443', '2001:db8::3'],
  ['[2001:db8::3]', '2001:db8::3'],
  ['2001:db8::3', '2001:db8::3'],
  ['a.example:8080', 'a.example'],
  ['Invoice: 20931', 'Invoice: 20931'],
])('%s is the value %s', (text, value) => expect(bareValue(text)).toBe(value));

it.each([
  ['X-Mailer: Foxmail 7.2', { name: 'X-Mailer', value: 'Foxmail 7.2' }],
  ['  received:\tfrom a\n by b ', { name: 'received', value: 'from a by b' }],
  ['Subject: Re: hello', { name: 'Subject', value: 'Re: hello' }],
  ['Re: hello', null],
  ['FWD: hello', null],
  ['X-Mailer:', null],
  ['localhost:8080', null],
  ['https://a.example', null],
  ['two words: more', null],
])('%j as a header line is %j', (text, line) => expect(asHeaderLine(text)).toEqual(line));
