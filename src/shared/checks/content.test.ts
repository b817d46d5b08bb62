import { expect, it } from 'vitest';
import { bareMail } from '#tests/support/bare-mail.ts';
import { assess } from './assess.ts';

const mail = (subject: string, shownText: string) => bareMail({ subject, shownText });
const places = (subject: string, shownText: string, check: string) =>
  assess(mail(subject, shownText))
    .findings.filter((finding) => finding.check === check)
    .map(({ place }) => [place.kind, place.text]);

it('a phrase of the subject has its place there, one of the body in the body', () => {
  expect(places('Act now!', 'Hello', 'content.urgency')).toEqual([['header', 'act now']]);
  expect(places('Hello', 'Act now!', 'content.urgency')).toEqual([['body', 'act now']]);
});

it.each([
  ['margin-top: 9999px', false],
  ['margin-top: 10000px', true],
  ['height: 999vh', false],
  ['height: 1000vh', true],
  ['line-height: 10000px', false],
])('text behind %s is far below: %s', (style, isFar) => {
  const { findings } = assess(bareMail({ html: `<p>Hi</p><div style="${style}">More</div>` }));
  expect(findings.some(({ check }) => check === 'content.far-below')).toBe(isFar);
});
