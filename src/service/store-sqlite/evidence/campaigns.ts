/** Campaigns after an import: those of at least two mails exist, under a name that they keep. */
import { KEY_KINDS } from '#shared/campaigns/campaign-keys.ts';
import { foldText } from '#shared/query/text.ts';
import type { SqliteStore } from '../sqlite-store.ts';

/** Characters of a subject or a file name. */
const LONGEST = 60;
/** Mails whose values a name is made of. */
const MAX_NAMED = 500;

interface Member {
  subject: string;
  domain: string | null;
}

const cut = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1).toWellFormed()}…`;
};

/** The value that more than half of the mails have, if there is one. */
function sharedValue(values: readonly (string | null)[]): string | null {
  const counts = new Map<string, number>();
  for (const value of values) if (value) counts.set(value, (counts.get(value) ?? 0) + 1);
  const [value, count] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a), ['', 0]);
  return count * 2 > values.length ? value : null;
}

/** Names a campaign by what most of its mails share. */
function nameOf(store: SqliteStore, id: number): string {
  const { db } = store;
  const members = db
    .prepare<unknown[], Member>(
      'SELECT subject, from_domain AS domain FROM emails WHERE campaign_id = ? ORDER BY id LIMIT ?',
    )
    .all(id, MAX_NAMED);
  const subject = sharedValue(members.map((member) => cut(member.subject)));
  const domain = sharedValue(members.map((member) => member.domain));
  const from = ` from ${domain ?? 'several domains'}`;
  if (subject !== null) return `“${subject}”${from}`;
  // The value of the table that most of the mails have.
  const most = (table: string, column: string): string | null =>
    db
      .prepare<unknown[], string>(
        `SELECT m.${column} FROM ${table} m WHERE m.email_id IN (SELECT id FROM emails WHERE campaign_id = ? ORDER BY id LIMIT ?)
           AND m.${column} <> '' GROUP BY m.${column} ORDER BY count(DISTINCT m.email_id) DESC, min(m.id) LIMIT 1`,
      )
      .pluck()
      .get(id, MAX_NAMED) ?? null;
  const kind = sharedKind(store, id);
  const file = kind === 'attachment' ? most('attachments', 'name') : null;
  if (file !== null) return `Attachment “${cut(file)}”${from}`;
  const host = kind === 'host' || kind === 'link' ? most('links', 'host') : null;
  if (host !== null) return `Links to ${cut(host)}${from}`;
  const first = members.find((member) => member.subject.trim() !== '');
  return first === undefined
    ? `Emails without a subject${from}`
    : `Emails like “${cut(first.subject)}”${from}`;
}

/** The kind of the key that most of its mails have. */
function sharedKind(store: SqliteStore, id: number): (typeof KEY_KINDS)[number] | undefined {
  const kind = store.db
    .prepare<unknown[], number>(
      `SELECT k.value % 16 FROM (SELECT campaign_keys FROM emails WHERE campaign_id = ? ORDER BY id LIMIT ?) e,
         json_each(e.campaign_keys) k GROUP BY k.value ORDER BY count(*) DESC, k.value % 16 LIMIT 1`,
    )
    .pluck()
    .get(id, MAX_NAMED);
  return kind === undefined ? undefined : KEY_KINDS[kind];
}

/** Names the campaigns that have got their second mail, and drops those that have lost it. */
export function nameCampaigns(store: SqliteStore): void {
  const { db } = store;
  const members = (count: string) =>
    `SELECT campaign_id FROM emails WHERE campaign_id IS NOT NULL GROUP BY campaign_id HAVING count(*) ${count}`;
  db.prepare(`DELETE FROM campaigns WHERE id NOT IN (${members('> 1')})`).run();
  const unnamed = db
    .prepare<unknown[], number>(`${members('> 1')} AND campaign_id NOT IN (SELECT id FROM campaigns)`)
    .pluck()
    .all();
  const isTaken = db.prepare('SELECT 1 FROM campaigns WHERE name_folded = ?');
  const insert = db.prepare('INSERT INTO campaigns (id, name, name_folded) VALUES (?, ?, ?)');
  for (const id of unnamed) {
    const plain = nameOf(store, id);
    const name = isTaken.get(foldText(plain)) === undefined ? plain : `${plain} #${id}`;
    insert.run(id, name, foldText(name));
  }
}
