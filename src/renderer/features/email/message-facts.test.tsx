// @vitest-environment happy-dom
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { readStack } from '#renderer/entity/stack-rows.ts';
import { Facts } from '#renderer/ui/facts.tsx';
import { messageFacts, messageLine } from './message-facts.tsx';
import { messageRefusal } from './message-profile.tsx';

const MESSAGE = {
  entity_id: 'm1',
  saas: 'office365_teams',
  sent_at: '2026-11-19T08:00:00.000Z',
  sender: 'p.nguyen@aldermoor.example',
  channel: 'Finance',
  text: 'See https://login.evil.example/',
  state: 'posted',
  links_count: 1,
  host: 'login.evil.example',
  replies: 3,
  is_external: 1,
};
const BRANDING = { product: 'guard', name: 'Mail security' };
const scan = (more: object) => ({ tool: 'checkpoint_url', applicable: true, status: 'finished', ...more });

it('[spec 3] the facts of a message have labels and times in the chosen zone, and omit its text', () => {
  const root = document.createElement('div');
  root.innerHTML = renderToStaticMarkup(
    <Facts
      facts={messageFacts(MESSAGE, {
        clock: { tenant: 'Asia/Tokyo' },
        now: Date.UTC(2026, 10, 20),
        appName: () => 'Teams',
      })}
    />,
  );
  const words = root.textContent;
  expect(words).toContain('2026-11-19 17:00:00');
  expect(words).toContain('Teams');
  expect(words).toContain('Posted');
  expect(words).not.toContain('office365_teams');
  expect(words).not.toContain('https://login.evil.example');
});

it.each([
  ['posted', [{ matches: 1, verdict_code: 'phsh' }], 'found', 'Everyone in the channel can read it'],
  ['quarantined', [{ matches: 1, verdict_code: 'phsh' }], 'found', 'In quarantine'],
  ['posted', [{ status: 'clean', matches: 0 }], 'clean', '1 of 1 tool found nothing.'],
  ['posted', [], 'not-scanned', 'No tool has scanned this message.'],
])('[spec 3] a %s message that tools said %j of is %s: %s', (state, codes, verdict, words) => {
  const line = messageLine(readStack(codes.map(scan), BRANDING), { ...MESSAGE, state });
  expect(line.verdict).toBe(verdict);
  expect(line.parts.map(({ text }) => text).join('')).toContain(words);
});

it('an action that the state rules out gives the reason', () => {
  const of = (kind: 'quarantine' | 'restore' | 'delete', state: string) =>
    messageRefusal(kind, { ...MESSAGE, state });
  expect([of('quarantine', 'posted'), of('delete', 'posted'), of('restore', 'quarantined')]).toEqual([
    null,
    null,
    null,
  ]);
  expect(of('restore', 'posted')).toContain('not in quarantine');
  expect(of('quarantine', 'quarantined')).toContain('already');
  expect(of('delete', 'deleted')).toContain('deleted');
});
