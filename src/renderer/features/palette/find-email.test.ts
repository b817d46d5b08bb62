import { describe, expect, it } from 'vitest';
import { asMessageId } from './find-email.ts';

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
