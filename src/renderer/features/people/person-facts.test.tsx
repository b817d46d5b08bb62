// @vitest-environment happy-dom
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { Facts } from '#renderer/ui/facts.tsx';
import { deploymentModes } from '#shared/model/flags.ts';
import { noSignIns } from './labels.ts';
import { groupFacts, groupLine, userFacts, userLine } from './person-facts.tsx';

const context = {
  clock: 'utc' as const,
  now: Date.UTC(2026, 10, 20),
  appName: (saas: string) => (saas === 'office365_emails' ? 'Microsoft 365 Mail' : saas),
  modes: [] as readonly string[],
};
const USER = {
  entity_id: 'u1',
  saas: 'office365_emails',
  name: 'Mary Okafor',
  email: 'm.okafor@aldermoor.example',
  department: 'Finance',
  title: 'Finance manager',
  state: 'active',
  roles: [
    { role_id: 1, role_name: 'Admin' },
    { role_id: 17, role_name: 'Help desk' },
  ],
  is_admin: true,
  mfa: false,
  risk: 73,
  failed_logins: 12,
  mailbox_size: 1_073_741_824,
  last_login_at: '2026-11-19T08:00:00.000Z',
  security_training: { assigned: 5, completed: 3, phishing_test_failed: true },
};
const shown = (facts: ReturnType<typeof userFacts>): Record<string, string> => {
  const root = document.createElement('div');
  root.innerHTML = renderToStaticMarkup(<Facts facts={facts} />);
  return Object.fromEntries(
    [...root.querySelectorAll('dl > div')].map((row) => [
      row.querySelector('dt')?.textContent ?? '',
      row.querySelector('dd')?.textContent ?? '',
    ]),
  );
};

describe('a user', () => {
  it('[spec 3, spec 6] has facts, custom roles, the second factor, sign-ins, risk and training', () => {
    const facts = shown(userFacts(USER, context));
    expect(facts['App']).toBe('Microsoft 365 Mail');
    expect(facts['Roles']).toBe('AdminHelp desk');
    expect(facts['Second factor']).toBe('No');
    expect(facts['Risk']).toBe('73 of 100');
    expect(facts['Last login']).toContain('2026-11-19 08:00:00');
    expect(facts['Mailbox']).toBe('1 GB');
    expect(facts['Security training']).toBe('3 of 5 completedfailed the last phishing test');
  });

  it('[spec 3] unreported values are shown as not recorded, never as no or none', () => {
    const facts = shown(userFacts({ entity_id: 'u2' }, context));
    for (const label of ['Roles', 'Second factor', 'Risk', 'Security training', 'Mailbox', 'Administrator'])
      expect([label, facts[label]]).toEqual([label, 'Not recorded']);
    expect(userLine({ entity_id: 'u2' })).toEqual([]);
  });

  it.each([
    [{ msp_deployment: true }, 'Not shown in an MSP deployment'],
    [{ proof_of_concept: true }, 'Not shown in a proof of concept'],
    [
      { msp_deployment: true, proof_of_concept: true },
      'Not shown in an MSP deployment and a proof of concept',
    ],
  ])('[spec 6] %j gates security training, and the fact says why', (flags, words) => {
    const facts = shown(userFacts(USER, { ...context, modes: deploymentModes(flags) }));
    expect(facts['Security training']).toBe(words);
    expect(JSON.stringify(facts)).not.toContain('completed');
  });

  it('has a summary line with dangerous facts in red', () => {
    expect(userLine(USER).map(({ text }) => text)).toEqual([
      'Active',
      'administrator without a second factor',
      'risk 73 of 100',
      '12 failed logins in 30 days',
      'Finance manager, Finance',
    ]);
    expect(userLine(USER)[1]?.tone).toBe('pp-danger');
  });

  it('shows service-specific fields, and a hostile name as text', () => {
    const facts = shown(userFacts({ ...USER, name: '<b>x</b>\u202Egpj', badge_number: 7 }, context));
    expect(facts['Badge number']).toBe('7');
    expect(facts['Name']).toContain('<b>x</b>');
    expect(facts['Name']).not.toContain('\u202E');
  });
});

it('[spec 3] a group shows its kind, its members and how many are external', () => {
  const group = {
    entity_id: 'g1',
    name: 'Finance Leeds',
    kind: 'team',
    members: 12,
    external_members: 2,
    is_public: true,
  };
  expect(groupLine(group).map(({ text }) => text)).toEqual([
    'Team',
    '12 members',
    '2 external',
    'anyone can join',
  ]);
  const facts = shown(groupFacts(group, context));
  expect([facts['Kind'], facts['External members'], facts['Public'], facts['Owner']]).toEqual([
    'Team',
    '2',
    'Yes',
    'Not recorded',
  ]);
});

it('if no sign-in is listed, the last one in the profile is still shown', () => {
  expect(noSignIns('').reason).toContain('reports none of this user');
  expect(noSignIns('2026-11-19 08:00:00 UTC')).toMatchObject({
    title: 'No logins listed',
    reason: expect.stringContaining('2026-11-19 08:00:00 UTC'),
  });
});
