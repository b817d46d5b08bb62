import { expect, it } from 'vitest';
import { phraseSpans } from './phrase-spans.ts';

const cut = (text: string, phrase: string) =>
  phraseSpans(text, phrase).map(([from, to]) => text.slice(from, to));

it.each([
  ['Please VERIFY your\n account, now', 'verify your account', ['VERIFY your\n account']],
  ['Votre compte a été “suspendu”.', 'a ete suspendu', ['a été “suspendu']],
  ['We don’t wait', 'dont wait', ['don’t wait']],
  ['ver\u200bify y\u00adour account', 'verify your account', ['ver\u200bify y\u00adour account']],
  ['ver‹U+200B›ify your account', 'verify your account', ['ver‹U+200B›ify your account']],
  ['vеrify your аccount', 'verify your account', ['vеrify your аccount']],
  ['您的账户已被冻结，请', '账户已被冻结', ['账户已被冻结']],
  ['𝐕𝐄𝐑𝐈𝐅𝐘 it', '𝐕𝐄𝐑𝐈𝐅𝐘', ['𝐕𝐄𝐑𝐈𝐅𝐘']],
  ['x\u200by', 'x\u200by', ['x\u200by']],
  ['Call +1 (800) 555-0199.', '+1 (800) 555-0199', ['+1 (800) 555-0199']],
  [`${'a '.repeat(90)}end`, `${'a '.repeat(79)}a…`, [`${'a '.repeat(79)}a`]],
])('%j: the quotation %j is found as it stands', (text, phrase, spans) => {
  expect(cut(text, phrase)).toEqual(spans);
});

it.each([
  ['The telephones rang', 'phone'],
  ['account your verify', 'verify your account'],
  ['anything', ''],
  ['anything', '…'],
  ['!!!', '???'],
])('in %j the quotation %j is not found', (text, phrase) => {
  expect(phraseSpans(text, phrase)).toEqual([]);
});

it('takes linear time', () => {
  const started = performance.now();
  phraseSpans('vеrify '.repeat(15_000), `${'verify '.repeat(20)}now`);
  phraseSpans('a'.repeat(100_000), `${'a'.repeat(150)} b`);
  expect(performance.now() - started).toBeLessThan(3_000);
});
