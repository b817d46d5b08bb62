/** The people of Aldermoor Group, the demo tenant's organisation. */
import { dictionary } from '#shared/dictionary.ts';
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

const GIVEN = [
  'Mary',
  'James',
  'Zoë',
  'Søren',
  'Ngozi',
  'Chidi',
  'Hiroshi',
  '花子',
  'Анна',
  'Дмитрий',
  'Fatima',
  'Omar',
  'Layla',
  'Lukas',
  'Jürgen',
  'Léa',
  'Björn',
  'Ana',
  'Tomasz',
  'Oksana',
  'Priya',
  'Arjun',
  'Minh',
  'Linh',
  'Wei',
  '伟',
  'Eleni',
  'Νίκος',
  'Tadhg',
  'Aoife',
  'Noah',
  'Emma',
  'Olivia',
  'Kwame',
  'Amara',
  'Yusuf',
  'سارة',
  'Maja',
  'Katarzyna',
  'Pedro',
] as const;
const FAMILY = [
  'Okafor',
  'Ågård',
  'Brandt',
  'Müller-Lüdenscheidt',
  'Tanaka',
  '田中',
  'Петрова',
  'Иванов',
  'Nguyễn',
  'Trần',
  'Iyer',
  'Sharma',
  'Kowalczyk',
  'Papadopoulou',
  'Παπαδόπουλος',
  'Ó Súilleabháin',
  'Lindqvist',
  'García',
  'van den Berg',
  'Rossi',
  'Haddad',
  'الأحمد',
  'Kim',
  'Chen',
  '王',
  'Smith',
  'Jones',
  'Mensah',
  'Diallo',
  'Novák',
  'Jørgensen',
  'Dubois',
  'Silva',
  'Çelik',
  'Levi',
  'Cohen',
  'Murphy',
  'Schneider',
  'Hansen',
  'Nowak',
] as const;
const LATIN: Readonly<Record<string, string>> = dictionary({
  花子: 'hanako',
  田中: 'tanaka',
  Анна: 'anna',
  Дмитрий: 'dmitri',
  Петрова: 'petrova',
  Иванов: 'ivanov',
  伟: 'wei',
  王: 'wang',
  Νίκος: 'nikos',
  Παπαδόπουλος: 'papadopoulos',
  سارة: 'sara',
  الأحمد: 'alahmad',
});
const TITLES = [
  'Specialist',
  'Analyst',
  'Manager',
  'Assistant',
  'Director',
  'Engineer',
  'Coordinator',
  'Trainee',
];
const COUNTRIES = [
  'Germany',
  'United Kingdom',
  'Japan',
  'Norway',
  'Poland',
  'Greece',
  'Ireland',
  'Nigeria',
  'Viet Nam',
  'India',
];
const SHARED = [
  ['accounts.payable', 'Accounts payable', 'Finance'],
  ['finance-shared-mailbox-emea-north', 'Finance shared mailbox EMEA North', 'Finance'],
  ['board-assistants', 'Board assistants', 'Board'],
  ['helpdesk', 'Help desk', 'Information technology'],
  ['careers', 'Careers', 'Human resources'],
  ['orders', 'Orders', 'Logistics'],
] as const;

/** Named people that queries, requests and screens refer to. */
const KNOWN = [
  ['Mary Okafor', 'm.okafor', 'Finance', 'Finance manager'],
  ['Lena Brandt', 'l.brandt', 'Information technology', 'Security analyst'],
  ['田中 花子', 'h.tanaka', 'Logistics', 'Logistics coordinator'],
  ['Oliwia Kowalczyk', 'o.kowalczyk', 'Finance', 'Finance analyst'],
  ['Søren Ågård', 'søren.ågård', 'Logistics', 'Logistics director'],
  ['Jürgen Müller-Lüdenscheidt', 'j.müller-lüdenscheidt', 'Finance', 'Finance specialist'],
  ['Tadhg Ó Súilleabháin', 't.ó-súilleabháin', 'Procurement', 'Procurement specialist'],
  ['Phạm Nguyễn', 'p.nguyễn', 'Sales', 'Sales assistant'],
  ['Ingrid Aldermoor', 'i.aldermoor', 'Board', 'Chair of the board'],
] as const;

export interface Person {
  name: string;
  email: string;
  department: string;
  title: string;
  country: string;
}

function localPart(given: string, family: string): string {
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
  return `${latin(given).slice(0, 1)}.${latin(family)}`;
}

/** `count` people with unique addresses; the first ones are shared mailboxes. */
export function people(rng: Random, count: number): Person[] {
  const used = new Set<string>();
  const at = (local: string) => `${local}@${HOME_DOMAIN}`;
  const out: Person[] = [
    ...KNOWN.map(([name, local, department, title]) => ({
      name,
      email: at(local),
      department,
      title,
      country: 'Germany',
    })),
    ...SHARED.map(([local, name, department]) => ({
      name,
      email: at(local),
      department,
      title: 'Shared mailbox',
      country: 'Germany',
    })),
  ];
  for (const [, local] of KNOWN) used.add(local);
  while (out.length < count) {
    const given = rng.pick(GIVEN);
    const family = rng.pick(FAMILY);
    // Occasionally an address with non-ASCII letters, which its mail system allows.
    const local = rng.chance(0.04)
      ? `${given.slice(0, 1)}.${family}`.toLowerCase().replace(/[^\p{L}.-]+/gu, '-')
      : localPart(given, family);
    const number = used.has(local) ? rng.int(2, 9999) : 0;
    const unique = number === 0 ? local : `${local}${number}`;
    if (used.has(unique)) continue;
    used.add(unique);
    const department = DEPARTMENTS[rng.skewed(DEPARTMENTS.length, 1.4)] ?? 'Operations';
    out.push({
      name: `${given} ${family}`,
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
