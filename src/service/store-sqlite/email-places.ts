/** The origin of a mail of evidence: its places in files and other mails, its hash, and who read it when. */
import type { EmailEvidence, EmailFinding } from '#shared/model/entities.ts';
import { detailOf, type EmailRow, type FilePlace } from '../store/emails.ts';
import type { SqliteStore } from './sqlite-store.ts';

/** Maximum number of places and of related mails that a profile names; it counts all. */
const NAMED = 100;

export const filePlacesOf = (store: SqliteStore, emailId: number): FilePlace[] =>
  store.db
    .prepare<unknown[], FilePlace>(
      `SELECT f.root, f.path AS file, p.part AS entry, p.position AS "offset", p.length, p.mbox, p.absent
       FROM evidence_places p JOIN evidence_files f ON f.id = p.file_id
       WHERE p.email_id = ? ORDER BY p.absent IS NOT NULL, p.run DESC, f.path, p.position LIMIT ${NAMED}`,
    )
    .all(emailId);

export const parentsOf = (store: SqliteStore, emailId: number): number[] =>
  store.db
    .prepare<unknown[], number>(
      `SELECT parent_id FROM evidence_places WHERE email_id = ? AND parent_id > 0 ORDER BY parent_id LIMIT ${NAMED}`,
    )
    .pluck()
    .all(emailId);

type Linked = EmailEvidence['attached'][number];

interface FindingRow {
  check_id: string;
  tool: string;
  sentence: string;
  weight: number;
  place_kind: string;
  place_name: string;
  place_text: string;
  struck: number;
}

/** What the checks found in a mail, worst first. */
const findingsOfEmail = (store: SqliteStore, emailId: number): EmailFinding[] =>
  store.db
    .prepare<unknown[], FindingRow>('SELECT * FROM findings WHERE email_id = ? ORDER BY weight DESC, id')
    .all(emailId)
    .map(({ check_id, tool, sentence, weight, place_kind, place_name, place_text, struck }) => ({
      check: check_id,
      tool,
      sentence,
      weight,
      place: { kind: place_kind, name: place_name, text: place_text },
      false_positive: struck === 1,
    }));

export function evidenceOf(store: SqliteStore, row: EmailRow): EmailEvidence | null {
  const { evidence } = detailOf(row);
  if (evidence === undefined) return null;
  const { sha256, problems, active, authTrusted, unchecked = [] } = evidence;
  const read = store.db
    .prepare<unknown[], { imported_at: number; reader: string }>(
      'SELECT imported_at, reader FROM evidence_messages WHERE email_id = ?',
    )
    .get(row.id);
  const count = (where: string): number =>
    Number(store.db.prepare(`SELECT count(*) FROM evidence_places WHERE ${where}`).pluck().get(row.id));
  const linked = (column: string, other: string): Linked[] =>
    store.db
      .prepare<unknown[], Linked>(
        `SELECT e.entity_id, e.subject, coalesce(e.from_shown, e.from_email) AS "from", p.part
         FROM evidence_places p JOIN emails e ON e.id = p.${other}
         WHERE p.${column} = ? AND p.parent_id > 0 ORDER BY e.received_at, p.${other}, p.part LIMIT ${NAMED}`,
      )
      .all(row.id);
  return {
    sha256,
    imported: read === undefined ? null : new Date(read.imported_at).toISOString(),
    importer: read?.reader ?? null,
    places: filePlacesOf(store, row.id).map(({ file, entry, offset, length, mbox, absent }) => ({
      file: entry === '' ? file : `${file}/${entry}`,
      offset,
      length,
      quoted: mbox === 1,
      absent,
    })),
    places_total: count('email_id = ? AND file_id > 0'),
    attached_to: linked('email_id', 'parent_id'),
    attached_to_total: count('email_id = ? AND parent_id > 0'),
    attached: linked('parent_id', 'email_id'),
    attached_total: count('parent_id = ? AND parent_id > 0'),
    problems,
    active,
    auth_trusted: authTrusted,
    findings: findingsOfEmail(store, row.id),
    score: row.score,
    unchecked,
  };
}
