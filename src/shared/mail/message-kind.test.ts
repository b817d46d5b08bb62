import { expect, it } from 'vitest';
import { decodeBytes } from './charsets.ts';
import { parseHeaders } from './headers.ts';
import { type KindFacts, messageKind } from './message-kind.ts';

const kindOf = (lines: string[], facts: Partial<KindFacts> = {}): string =>
  messageKind({
    headers: parseHeaders(`${lines.join('\r\n')}\r\n`, decodeBytes, { maxHeaders: 50 }).headers,
    subject: 'Lunch',
    author: { local: 'ann' },
    inReplyTo: null,
    references: [],
    attachments: [],
    ...facts,
  });
const file = (filename: string, mimeType = 'application/zip') => ({ attachments: [{ filename, mimeType }] });

it.each([
  ['message', kindOf([])],
  ['answer', kindOf(['In-Reply-To: <1@a.example>'], { inReplyTo: '1@a.example' })],
  ['list', kindOf(['List-Post: <mailto:talk@a.example>'], { inReplyTo: '1@a.example' })],
  ['bulk', kindOf(['List-Unsubscribe: <https://a.example/u>'])],
  ['bulk', kindOf(['Precedence: bulk'])],
  ['automatic', kindOf(['Auto-Submitted: auto-replied', 'Precedence: bulk'])],
  ['message', kindOf(['Auto-Submitted: no'])],
  ['calendar', kindOf([], file('invite.ics', 'text/calendar'))],
  ['bounce', kindOf(['Content-Type: multipart/report; report-type=delivery-status; boundary=x'])],
  ['bounce', kindOf(['Content-Type: multipart/report;\r\n boundary=x;\r\n report-type="delivery-status"'])],
  ['bounce', kindOf(['Return-Path: <>'], { author: { local: 'MAILER-DAEMON' } })],
  ['message', kindOf([], { author: { local: 'postmaster' } })],
  ['receipt', kindOf(['Content-Type: multipart/report; report-type=disposition-notification; boundary=x'])],
  ['report', kindOf(['Content-Type: multipart/report; report-type=feedback-report; boundary=x'])],
  ['report', kindOf([], file('google.com!a.example!1700000000!1700086400.zip'))],
  ['report', kindOf([], { subject: 'Report domain: a.example Submitter: b.example' })],
  ['message', kindOf([], file('a!b.zip'))],
])('%s', (expected, kind) => expect(kind).toBe(expected));
