import { expect, it } from 'vitest';
import { lostWords, offlineWords, printedWords } from './labels.ts';

it('[promise] the message about a stopped host says what to do and where data is saved', () => {
  expect(lostWords(false, true)).toMatchObject({
    title: 'Parapet has stopped',
    kept: 'What you were editing is still here.',
  });
  expect(lostWords(true, true).todo).toContain('Paste the address it printed into this tab');
  expect(lostWords(true, false).kept).toContain('nowhere else');
});

it('[promise] a service that went offline by itself is reported with the cause', () => {
  const state = { connectionId: 'c', phase: 'offline-auto' as const, since: 0, latencyMs: null };
  const error = {
    code: 'server-error' as const,
    message: 'The service answered with error 500.',
    retryable: true,
  };
  expect(offlineWords({ ...state, error }, 'Tenant', '08:41 UTC')).toBe(
    'Since 08:41 UTC: The service answered with error 500.',
  );
  expect(offlineWords({ ...state, error: null }, 'Tenant', '08:41 UTC')).toBe(
    'Since 08:41 UTC: Tenant does not answer.',
  );
});

it('each printed page names its content, its source and the time of printing on the chosen clock', () => {
  const connection = {
    name: 'Corp',
    kind: 'tenant',
    url: 'https://api.corp.example',
    sourceLabel: null,
  } as const;
  const time = Date.UTC(2026, 10, 23, 7, 5, 9);
  expect(printedWords({ title: 'Invoice', connection, at: time, clock: 'utc' })).toEqual([
    'Invoice · Corp, https://api.corp.example',
    'Printed 2026-11-23 07:05:09 UTC',
  ]);
  const evidence = { name: 'Case', kind: 'evidence', url: null, sourceLabel: 'mail.mbox' } as const;
  const [of, when] = printedWords({
    title: 'Invoice',
    connection: evidence,
    at: time,
    clock: { tenant: 'Europe/Berlin' },
  });
  expect([of, when]).toEqual(['Invoice · Case, mail.mbox', 'Printed 2026-11-23 08:05:09 UTC+01:00']);
});
