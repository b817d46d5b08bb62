/** The people of Aldermoor Group, the demo tenant's organisation. */
import { dictionary } from '#shared/dictionary.ts';
import names from '../../../resources/demo/people.json' with { type: 'json' };
import type { GroupRecord, UserRecord } from '../store/records.ts';
import { type Random, random } from './prng.ts';
import { documentationIp } from './senders.ts';

export const HOME_DOMAIN = 'aldermoor.example';
export const DEPARTMENTS = [
  'Finance',
  'Logistics',
  'Sales',
  'Engineering',
  'Human resources',
  'Legal',
  'Operations',
  'Marketing',
  'Information technology',
  'Procurement',
  'Customer care',
  'Board',
] as const;

/** The `known` people are those that queries, requests and screens name. */
const { given: GIVEN, family: FAMILY, titles: TITLES, countries: COUNTRIES, shared, known } = names;
const LATIN: Readonly<Record<string, string>> = dictionary(names.latin);

export interface Person {
  name: string;
  email: string;
  department: string;
  title: string;
  country: string;
}

function localPart(givenName: string, family: string): string {
  const latin = (text: string) =>
    (LATIN[text] ?? text)
      .replace(/ø/gi, 'o')
      .replace(/å/gi, 'a')
      .replace(/æ/gi, 'ae')
      .replace(/ß/g, 'ss')
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .replace(/[^a-z]+/g, '-')
      .replace(/^-+|-+$/g, '');
  return `${latin(givenName).slice(0, 1)}.${latin(family)}`;
}

/** `count` people with unique addresses; the first ones are shared mailboxes. */
export function people(rng: Random, count: number): Person[] {
  const used = new Set<string>();
  const address = (local: string) => `${local}@${HOME_DOMAIN}`;
  const out: Person[] = [
    ...known.map(({ name, local, department, title }) => ({
      name,
      email: address(local),
      department,
      title,
      country: 'Germany',
    })),
    ...shared.map(({ local, name, department }) => ({
      name,
      email: address(local),
      department,
      title: 'Shared mailbox',
      country: 'Germany',
    })),
  ];
  for (const { local } of known) used.add(local);
  while (out.length < count) {
    const givenName = rng.pick(GIVEN);
    const family = rng.pick(FAMILY);
    // Occasionally an address with non-ASCII letters, which its mail system allows.
    const local = rng.chance(0.04)
      ? `${givenName.slice(0, 1)}.${family}`.toLowerCase().replace(/[^\p{L}.-]+/gu, '-')
      : localPart(givenName, family);
    const number = used.has(local) ? rng.int(2, 9999) : 0;
    const unique = number === 0 ? local : `${local}${number}`;
    if (used.has(unique)) continue;
    used.add(unique);
    const department = DEPARTMENTS[rng.skewed(DEPARTMENTS.length, 1.4)] ?? 'Operations';
    out.push({
      name: `${givenName} ${family}`,
      email: `${unique}@${HOME_DOMAIN}`,
      department,
      title: `${department} ${rng.pick(TITLES).toLowerCase()}`,
      country: rng.pick(COUNTRIES),
    });
  }
  return out;
}

const DAY = 86_400_000;
const KINDS = ['team', 'distribution', 'security', 'dynamic'];

export function userRecords(staff: readonly Person[], seed: number, anchor: number): UserRecord[] {
  const rng = random(`${seed}/users`);
  const directors = staff.filter(({ title }) => /director|manager|chair/i.test(title));
  return staff.map((person) => {
    const active = !rng.chance(0.06);
    const isShared = person.title === 'Shared mailbox';
    const attacked = rng.chance(0.03);
    const roles = [isShared ? 'shared' : 'user'];
    if (rng.chance(0.05)) roles.push('help_desk');
    if (rng.chance(0.02)) roles.push('security_reader');
    const boss = directors.find(({ department }) => department === person.department && rng.chance(0.5));
    return {
      ...person,
      manager: isShared || boss?.email === person.email ? null : (boss?.email ?? null),
      failedLogins: attacked ? rng.int(12, 900) : rng.skewed(6, 4),
      lastIp: rng.chance(0.04) ? null : documentationIp(rng),
      mailboxSize: isShared ? rng.int(20, 90) * 1_073_741_824 : Math.floor(rng.next() ** 2.4 * 48e9),
      roles,
      entityId: rng.hex(32),
      saas: rng.chance(0.75) ? 'office365_emails' : 'google_mail',
      isAdmin: rng.chance(0.02),
      mfa: rng.chance(0.82),
      state: active ? 'active' : 'disabled',
      createdAt: anchor - rng.int(30, 2500) * DAY,
      lastLoginAt: rng.chance(0.03) ? null : anchor - Math.floor(rng.next() ** 3 * 40 * DAY),
      risk: Math.floor(rng.next() ** 4 * 100),
    };
  });
}

export function groupRecords(staff: readonly Person[], seed: number, anchor: number): GroupRecord[] {
  const rng = random(`${seed}/groups`);
  const places = ['Hamburg', 'Leeds', 'Osaka', 'Oslo', 'Gdańsk', 'Αθήνα', 'Lagos', 'leads', 'on call', 'all'];
  return DEPARTMENTS.flatMap((department) =>
    places.map((place) => {
      const name = `${department} ${place}`;
      const kind = KINDS[rng.skewed(KINDS.length, 1.6)] ?? 'distribution';
      const local = name
        .normalize('NFD')
        .toLowerCase()
        .replace(/[^a-z]+/g, '-')
        .replace(/^-+|-+$/g, '');
      return {
        entityId: rng.hex(32),
        saas: 'office365_emails',
        name,
        email: `${local}-${rng.int(1, 99)}@${HOME_DOMAIN}`,
        members: 3 + Math.floor(rng.next() ** 2.2 * 240),
        externalMembers: rng.chance(0.25) ? rng.int(1, 12) : 0,
        owner: rng.chance(0.95) ? rng.pick(staff).email : null,
        isPublic: rng.chance(0.2),
        createdAt: anchor - rng.int(20, 2000) * DAY,
        kind,
        description: rng.chance(0.6) ? `${department}, everyone in ${place}` : null,
        lastUsedAt: rng.chance(0.1) ? null : anchor - Math.floor(rng.next() ** 2.5 * 300 * DAY),
      };
    }),
  );
}
