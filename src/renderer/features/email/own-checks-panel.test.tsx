// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest';
import { decodeBytes } from '#shared/mail/charsets.ts';
import { parseHeaders } from '#shared/mail/headers.ts';
import { mount, whenDrawn } from '#tests/support/mount.tsx';
import { OwnChecksPanel } from './own-checks-panel.tsx';
import type { EmailReads } from './use-email.ts';

const LURE = 'From: "PayPal" <service@account-check.example>\r\nTo: b@corp.example\r\nSubject: Limited\r\n';
const HTML = '<a href="https://evil.example/login">https://www.paypal.com/signin</a>';

const failed = { data: undefined, error: { code: 'timeout', message: 'No answer', retryable: true } };
function reads(more: { verdict: string | null; raw?: string; html?: string | null }) {
  const { verdict, raw = LURE, html = HTML } = more;
  return {
    entityId: 'e',
    parsed: { headers: parseHeaders(raw, decodeBytes), places: [] },
    headers: { data: { raw }, error: null },
    body: html === null ? failed : { data: { html, text: null }, error: null },
    attachments: { data: { rows: [] }, error: null },
    profile: { data: { verdict }, error: null },
    refreshAll: () => undefined,
  } as unknown as EmailReads;
}

let unmount: () => Promise<void> = async () => undefined;
afterEach(() => unmount());
async function textOf(email: EmailReads): Promise<string> {
  const mounted = await mount(<OwnChecksPanel email={email} last={null} onOpen={() => undefined} />);
  ({ unmount } = mounted);
  const { container } = mounted;
  await whenDrawn(() => expect(container.querySelector('.em-beside')).not.toBeNull());
  return container.textContent ?? '';
}

it('both verdicts stand beside each other, and that they disagree is said only where the service says clean', async () => {
  const apart = await textOf(reads({ verdict: 'clean' }));
  expect(apart).toMatch(/Parapet (?:Found|Suspicious).*Service Clean/);
  expect(apart).toContain('They disagree');
  expect(apart).toContain('does not belong to PayPal');
  await unmount();
  expect(await textOf(reads({ verdict: 'found' }))).not.toContain('They disagree');
});

it('nothing found is not called clean, and what could not be loaded is named', async () => {
  const text = await textOf(
    reads({
      verdict: 'clean',
      raw: 'From: Bo <bo@corp.example>\r\nTo: b@corp.example\r\nSubject: Lunch\r\n',
      html: null,
    }),
  );
  expect(text).toContain('That does not make it clean.');
  expect(text).toContain('The body could not be loaded and was not checked');
  expect(text).not.toContain('They disagree');
  expect(text).not.toContain('Rule from this');
});
