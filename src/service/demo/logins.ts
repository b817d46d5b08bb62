/**
 * Logins of the demo tenant over thirty days: people at offices and homes, on trips and behind the company's VPN; a
 * password spray; one account takeover. A row is a session with the number of its logins.
 */
import { dictionary } from '#shared/dictionary.ts';
import type { LoginRecord } from '../store/records.ts';
import type { Person } from './organisation.ts';
import { OFFICES, type Place, SPRAY, TAKEOVER, TRIPS, VPN_EXITS } from './places.ts';
import { type Random, random } from './prng.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const DAYS = 30;

/**
 * Rows per SaaS. One exactly fills a page of the map, one has one row too many for zooming in (specification section 9:
 * max 5000, and at most 3000).
 */
const LOGIN_POINTS: Readonly<Record<string, { ok: number; failed: number; people: number }>> = dictionary({
  office365_emails: { ok: 5_000, failed: 1_480, people: 230 },
  google_mail: { ok: 3_001, failed: 410, people: 140 },
  office365_onedrive: { ok: 1_840, failed: 150, people: 120 },
  office365_sharepoint: { ok: 620, failed: 36, people: 60 },
  office365_teams: { ok: 1_210, failed: 88, people: 90 },
  dropbox: { ok: 396, failed: 22, people: 30 },
});

interface Traveller {
  email: string;
  office: (typeof OFFICES)[number];
  home: { lat: number; lon: number; ip: string };
  /** In days before the anchor; two of these days are spent travelling. */
  trip: { at: Place; from: number; to: number; ip: string } | null;
  vpn: (typeof VPN_EXITS)[number] | null;
}

const near = (rng: Random, degrees: number): number => (rng.next() + rng.next() - 1) * degrees;
const rounded = (degrees: number): number => Math.round(degrees * 1e4) / 1e4;

function travellers(rng: Random, staff: readonly Person[]): Traveller[] {
  const weights = OFFICES.flatMap((office) => Array.from({ length: office.weight }, () => office));
  return staff
    .filter(({ title }) => title !== 'Shared mailbox')
    .map(({ email, country }, index) => {
      const office = OFFICES.find(({ people }) => people === country && rng.chance(0.7)) ?? rng.pick(weights);
      const from = rng.int(6, DAYS - 2);
      const travels = email !== TAKEOVER.victim && rng.chance(0.09);
      const tunnels = email !== TAKEOVER.victim && !travels && rng.chance(0.025);
      return {
        email,
        office,
        home: {
          lat: rounded(office.at.lat + near(rng, 0.35)),
          lon: rounded(office.at.lon + near(rng, 0.35)),
          ip: `2001:db8:${(0x100 + OFFICES.indexOf(office)).toString(16)}:${index.toString(16)}::${rng.int(1, 9)}`,
        },
        trip: travels
          ? {
              at: rng.pick(TRIPS),
              from,
              to: Math.max(1, from - rng.int(2, 6)),
              ip: `203.0.113.${rng.int(1, 120)}`,
            }
          : null,
        // A VPN exit across an ocean looks like impossible travel, which some of these are meant to.
        vpn: tunnels ? (VPN_EXITS[rng.chance(0.75) ? 0 : 1] ?? null) : null,
      };
    });
}

interface Spot {
  at: Place;
  lat: number;
  lon: number;
  ip: string;
}

/** A person's location on a day, or null if travelling. */
function spotOf(rng: Random, who: Traveller, day: number): Spot | null {
  const { trip, office, home, vpn } = who;
  if (trip && day <= trip.from + 1 && day >= trip.to - 1) {
    if (day > trip.from || day < trip.to) return null;
    return { at: trip.at, lat: trip.at.lat, lon: trip.at.lon, ip: trip.ip };
  }
  if (vpn && rng.chance(0.2)) return { at: vpn.at, lat: vpn.at.lat, lon: vpn.at.lon, ip: vpn.ip };
  if (rng.chance(0.3)) return { at: office.at, lat: home.lat, lon: home.lon, ip: home.ip };
  return { at: office.at, lat: office.at.lat, lon: office.at.lon, ip: office.ip };
}

/** A time during a working day in a place's time zone, `day` days before the anchor's own day. */
function momentOf(rng: Random, zone: number, anchor: number, day: number): number {
  const hour = 7.5 + (rng.next() + rng.next()) * 5.5;
  return Math.floor(anchor / DAY) * DAY - day * DAY + (hour - zone) * HOUR + rng.int(0, 59_999);
}

const isWeekend = (ms: number): boolean => {
  const weekday = new Date(ms).getUTCDay();
  return weekday === 0 || weekday === 6;
};

function sessions(saas: string, all: readonly Traveller[], seed: number, anchor: number): LoginRecord[] {
  const points = LOGIN_POINTS[saas];
  if (!points || all.length === 0) return [];
  const rng = random(`${seed}/logins/${saas}`);
  const start = Math.floor(rng.next() * all.length);
  const people = Array.from(
    { length: Math.min(points.people, all.length) },
    (_, n) => all[(start + n) % all.length],
  );
  const victim = all.find(({ email }) => email === TAKEOVER.victim);
  if (saas === 'office365_emails' && victim && !people.includes(victim)) people[0] = victim;
  const out: LoginRecord[] = [];
  // Repeats whole rounds of thirty days until there are enough: few people simply sign in more often.
  while (out.length < points.ok)
    for (let day = 0; day < DAYS && out.length < points.ok; day += 1)
      for (const who of people) {
        if (!who || out.length >= points.ok) continue;
        const spot = spotOf(rng, who, day);
        if (!spot) continue;
        const instant = momentOf(rng, spot.at.zone, anchor, day);
        if (instant > anchor || (isWeekend(instant) && !rng.chance(0.12)) || rng.chance(0.12)) continue;
        out.push(row(saas, false, instant, who.email, spot, rng.int(1, 9)));
      }
  return out;
}

const row = (
  saas: string,
  failed: boolean,
  time: number,
  user: string,
  { at: { city, country }, lat, lon, ip }: Spot,
  count: number,
): LoginRecord => ({ saas, failed, at: Math.floor(time), user, ip, lat, lon, country, city, count });

/** Mistyped passwords, old clients that keep retrying, and guesses by strangers. */
function failures(saas: string, all: readonly Traveller[], seed: number, anchor: number): LoginRecord[] {
  const rng = random(`${seed}/failures/${saas}`);
  const out: LoginRecord[] = [];
  const spray = saas === 'office365_emails' ? sprayed(rng, all, anchor) : [];
  const remaining = (LOGIN_POINTS[saas]?.failed ?? 0) - spray.length;
  for (let tries = 0; out.length < remaining && tries < remaining * 20; tries += 1) {
    const who = rng.pick(all);
    const day = rng.int(0, DAYS - 1);
    const guess = rng.chance(0.14);
    const elsewhere = rng.pick(TRIPS);
    const spot = guess
      ? { at: elsewhere, lat: elsewhere.lat, lon: elsewhere.lon, ip: `203.0.113.${rng.int(170, 250)}` }
      : spotOf(rng, who, day);
    if (!spot) continue;
    const instant = guess
      ? anchor - Math.floor(rng.next() * DAYS * DAY)
      : momentOf(rng, spot.at.zone, anchor, day);
    if (instant <= anchor)
      out.push(row(saas, true, instant, who.email, spot, guess ? rng.int(1, 30) : rng.int(1, 3)));
  }
  return [...out, ...spray];
}

/** Two nights, one attempt per account a few seconds apart: too slow to trigger a lock-out. */
function sprayed(rng: Random, all: readonly Traveller[], anchor: number): LoginRecord[] {
  const { at, ips } = SPRAY;
  return [4, 3].flatMap((day) => {
    let when = Math.floor(anchor / DAY) * DAY - day * DAY + 1.6 * HOUR;
    return all.slice(0, 310).map(({ email }) => {
      when += rng.int(4, 22) * 1_000;
      return row(
        'office365_emails',
        true,
        when,
        email,
        { at, lat: at.lat, lon: at.lon, ip: rng.pick(ips) },
        1,
      );
    });
  });
}

/** The password found by the spray in use: from afar, an hour after its owner came to the office. */
function takeover(anchor: number): LoginRecord[] {
  const { at, ip, victim } = TAKEOVER;
  const hamburg = OFFICES[0];
  if (!hamburg) return [];
  const { lat, lon } = hamburg.at;
  const day = Math.floor(anchor / DAY) * DAY - 2 * DAY;
  const there: Spot = { at, lat: at.lat, lon: at.lon, ip };
  return [
    row(
      'office365_emails',
      false,
      day + 7 * HOUR + 48 * MINUTE,
      victim,
      { at: hamburg.at, lat, lon, ip: hamburg.ip },
      2,
    ),
    row('office365_emails', false, day + 8 * HOUR + 51 * MINUTE, victim, there, 3),
  ];
}

/** Every SaaS of LOGIN_POINTS, with exactly that many rows; none after the anchor (ms). */
export function loginRecords(staff: readonly Person[], seed: number, anchor: number): LoginRecord[] {
  const all = travellers(random(`${seed}/travellers`), staff);
  return Object.keys(LOGIN_POINTS).flatMap((saas) => {
    const ok = sessions(saas, all, seed, anchor);
    // The victim has only regular logins beside the takeover.
    const takeoverLogins = saas === 'office365_emails' ? takeover(anchor) : [];
    return [...takeoverLogins, ...ok.slice(takeoverLogins.length), ...failures(saas, all, seed, anchor)];
  });
}
