/** What only all mails of the evidence together tell: in which direction each went, first contacts, and imitated correspondents. */
import { isNear, MIN_NEAR } from '#shared/checks/brands.ts';
import {
  CASE_CHECKS,
  CASE_LOOK_ALIKE,
  FIRST_CONTACT,
  TELLING_AT_FIRST_CONTACT,
} from '#shared/checks/case-checks.ts';
import { isFreeMailer, ownLabel } from '#shared/checks/prepared-mail.ts';
import { organisationalDomain } from '#shared/mail/domains.ts';
import { asciiDomain } from '#shared/model/hosts.ts';
import { lookalikeReader } from '#shared/model/lookalike.ts';
import { recounter } from '../recount.ts';
import type { SqliteStore } from '../sqlite-store.ts';
import { DOMAIN_OF, ownDomains } from './own-domains.ts';

/** A domain is a correspondent’s once people of the evidence wrote to it in this many mails. */
const WRITTEN_TO = 3;
const MAX_CORRESPONDENTS = 200;
/** A shorter name is part of too many others. */
const MIN_PART = 5;

/** Every mail’s direction by the guessed domains; unknown without them, or if neither side is one of them. */
function storeDirections(store: SqliteStore, domain: string): void {
  const isOwn = (column: string) => `${DOMAIN_OF(column)} IN (SELECT value FROM json_each(@own))`;
  const some = (condition: string) =>
    `EXISTS (SELECT 1 FROM recipients r WHERE r.email_id = emails.id AND ${condition})`;
  store.db
    .prepare(
      `UPDATE emails SET direction = CASE
         WHEN from_domain IN (SELECT value FROM json_each(@own))
           THEN iif(${some(`NOT ${isOwn('r.email')}`)}, 'outgoing', 'internal')
         WHEN ${some(isOwn('r.email'))} THEN 'incoming' END
       WHERE file_id IS NOT NULL`,
    )
    .run({ own: domain });
}

/**
 * The first mail of each address from outside, unless somebody here had written to it before. It weighs something only if
 * the mail speaks of money or credentials.
 * The `+` takes the type from the column: with it, SQLite would not use the index of recipients.
 */
function storeFirstContacts(store: SqliteStore): void {
  const { id, tool, weight } = FIRST_CONTACT;
  store.db
    .prepare(
      `INSERT INTO findings (email_id, check_id, tool, sentence, weight, place_kind, place_name, place_text)
       SELECT id, @id, @tool, 'It is the earliest mail from ' || from_email || ' in this evidence' || iif(telling, ', and speaks of money or passwords', ''),
         iif(telling, @weight, 0), 'header', 'From', from_email
       FROM (SELECT e.*, EXISTS (SELECT 1 FROM findings f WHERE f.email_id = e.id AND f.weight > 0
               AND f.check_id IN (SELECT value FROM json_each(@words))) AS telling
         FROM (SELECT id, from_email, direction, received_at,
               row_number() OVER (PARTITION BY from_email ORDER BY received_at IS NULL, received_at, id) AS place
             FROM emails WHERE file_id IS NOT NULL AND from_email IS NOT NULL) e
         WHERE place = 1 AND direction = 'incoming' AND received_at IS NOT NULL AND NOT EXISTS (
           SELECT 1 FROM recipients r CROSS JOIN emails o ON o.id = r.email_id
           WHERE coalesce(r.email_folded, r.email) = +e.from_email AND o.direction = 'outgoing' AND o.received_at < e.received_at))`,
    )
    .run({ id, tool, weight, words: JSON.stringify(TELLING_AT_FIRST_CONTACT) });
}

/** The domain that another one imitates, by letters that pass for others, a changed letter, or its name as a part. */
function imitationReader(
  ownDomains: readonly string[],
  others: readonly string[],
): (domain: string) => string | null {
  const domains = new Set([...ownDomains, ...others].map((domain) => organisationalDomain(domain) ?? domain));
  const read = lookalikeReader(domains);
  const byLength = new Map<number, { domain: string; label: string }[]>();
  for (const domain of domains) {
    const label = ownLabel(domain);
    if (label.length >= MIN_NEAR)
      byLength.set(label.length, [...(byLength.get(label.length) ?? []), { domain, label }]);
  }
  const parts = new Map(
    ownDomains
      .map((domain) => [ownLabel(domain), domain])
      .filter(([label = '']) => label.length >= MIN_PART) as [string, string][],
  );
  return (domain) => {
    if (domains.has(organisationalDomain(domain) ?? domain)) return null;
    const { imitates } = read(domain);
    if (imitates !== null) return imitates;
    const label = ownLabel(domain);
    const near = [label.length - 1, label.length, label.length + 1]
      .flatMap((length) => byLength.get(length) ?? [])
      .find((other) => isNear(other.label, label));
    const part = label.split('-').find((word) => word !== label && parts.has(word));
    return near?.domain ?? (part === undefined ? null : (parts.get(part) ?? null));
  };
}

/** Mails whose domain imitates one of the case’s own, or of somebody to whom people here write. */
function storeLookAlikes(store: SqliteStore, ownDomains: readonly string[]): void {
  if (ownDomains.length === 0) return;
  const domains = (sql: string): string[] => store.db.prepare<unknown[], string>(sql).pluck().all();
  const writtenTo = (least: number, most: number) =>
    domains(
      `SELECT ${DOMAIN_OF('coalesce(r.email_folded, r.email)')} AS domain FROM recipients r JOIN emails e ON e.id = r.email_id
       WHERE e.direction = 'outgoing' GROUP BY 1 HAVING count(DISTINCT e.id) >= ${least} ORDER BY count(DISTINCT e.id) DESC, 1 LIMIT ${most}`,
    );
  const correspondents = writtenTo(WRITTEN_TO, MAX_CORRESPONDENTS).filter((domain) => !isFreeMailer(domain));
  const answered = new Set(writtenTo(1, -1));
  const imitationOf = imitationReader(ownDomains, correspondents);
  const insert = store.db.prepare(
    `INSERT INTO findings (email_id, check_id, tool, sentence, weight, place_kind, place_name, place_text)
     SELECT id, @id, @tool, @sentence, @weight, 'header', 'From', @domain FROM emails
     WHERE file_id IS NOT NULL AND from_domain = @domain AND direction IS NOT 'outgoing' AND direction IS NOT 'internal'`,
  );
  const { id, tool, weight } = CASE_LOOK_ALIKE;
  for (const domain of domains(
    'SELECT DISTINCT from_domain FROM emails WHERE file_id IS NOT NULL AND from_domain IS NOT NULL',
  )) {
    const model = answered.has(domain) ? null : imitationOf(domain);
    if (model === null) continue;
    const whose = ownDomains.some((host) => host === model || host.endsWith(`.${model}`))
      ? 'to which this evidence belongs'
      : 'to which people here write';
    insert.run({
      id,
      tool,
      weight,
      domain,
      sentence: `The sender’s domain ${asciiDomain(domain)} imitates ${model}, ${whose}`,
    });
  }
}

/** What the findings of case checks weigh, by mail. */
const weights = ({ db }: SqliteStore): Map<number, number> =>
  new Map(
    db
      .prepare<unknown[], { id: number; weight: number }>(
        'SELECT email_id AS id, sum(weight) AS weight FROM findings WHERE weight <> 0 AND check_id IN (SELECT value FROM json_each(?)) GROUP BY 1',
      )
      .all(JSON.stringify(CASE_CHECKS.map(({ id }) => id)))
      .map(({ id, weight }) => [id, weight]),
  );

/** Stores what the mails tell together, anew, and counts the mails again whose findings weigh otherwise. All or nothing. */
export function storeCaseFacts(store: SqliteStore): void {
  store.db.transaction(() => {
    const domains = ownDomains(store);
    storeDirections(store, JSON.stringify(domains));
    const before = weights(store);
    store.db
      .prepare('DELETE FROM findings WHERE check_id IN (SELECT value FROM json_each(?))')
      .run(JSON.stringify(CASE_CHECKS.map(({ id }) => id)));
    storeFirstContacts(store);
    storeLookAlikes(store, domains);
    const after = weights(store);
    const recount = recounter(store);
    for (const id of new Set([...before.keys(), ...after.keys()]))
      if (before.get(id) !== after.get(id)) recount(id);
  })();
}
