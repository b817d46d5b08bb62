/** The parts of a profile kept for offline, and the SQL functions that list and search them in any thread of the store. */
import type { EndpointName } from '#shared/api/catalogue.ts';
import type { OwnVerdict } from '#shared/bridge/operations.ts';
import { disagree } from '#shared/checks/disagreement.ts';
import { toInstant } from '#shared/model/clock.ts';
import type { Mailbox } from '#shared/model/entities.ts';
import { excerptOf, type Sought } from '#shared/query/excerpt.ts';
import { wordsOf } from '#shared/query/text.ts';

/** Endpoints whose texts are searched, and the name under which a missing one is reported. */
export const KEPT_PARTS = {
  'email.profile': 'profile',
  'file.profile': 'profile',
  'entity.get': 'profile',
  'email.body': 'body',
  'entity.message-body': 'body',
  'email.headers': 'headers',
  'email.recipients': 'recipients',
  'email.attachments': 'attachments',
} as const satisfies Partial<Record<EndpointName, string>>;
export type KeptEndpoint = keyof typeof KEPT_PARTS;

/** What the verdict of the checks depends on beside the email. */
export interface ChecksBasis {
  /** Of Parapet, with its checks. */
  version: string;
  /** Authserv-ids that the analyst trusts. */
  believed: readonly string[];
}

/** The field of a row that says that a profile is searched only in part. */
export const CUT = 'cut';

/** Separates the items of a field, so that no match spans two of them. */
export const APART = ' \u00b7 ';

/** The fields of an email, file, chat message, user or group that a list shows. */
interface Main {
  subject?: string | null;
  name?: string | null;
  title?: string | null;
  channel?: string | null;
  email?: string | null;
  from?: Mailbox | null;
  owner?: string | null;
  sender?: Mailbox | string | null;
  received?: string | null;
  sent_at?: string | null;
  modified?: string | null;
  verdict?: string | null;
  verdict_code?: string | null;
}

const addressOf = (from: Mailbox | string | null | undefined): string | null =>
  typeof from === 'object' ? (from?.email ?? null) : (from ?? null);

/** JSON of what a list shows of a profile, taken from its own part. */
function keptAbout(data: string): string {
  const main = JSON.parse(data) as Main;
  return JSON.stringify({
    title: main.subject ?? main.name ?? main.title ?? main.channel ?? main.email ?? null,
    from: addressOf(main.from ?? main.sender ?? main.owner),
    verdict: main.verdict ?? null,
    verdictCode: main.verdict_code ?? null,
    received: toInstant(main.received ?? main.sent_at ?? main.modified ?? null),
  });
}

/** `words` are as `wordsOf` returns them. */
const hasWords = (folded: string, words: string): 0 | 1 => (wordsOf(folded).includes(words) ? 1 : 0);

/** Of a longer entry of a list, only the text around the match is shown. */
const ENTRY_MOST = 200;

/** Both as JSON. */
function isApart(checks: string | null, about: string | null): 0 | 1 {
  const { verdict: ownVerdict } = JSON.parse(checks ?? '{}') as Partial<OwnVerdict>;
  const { verdict: service } = JSON.parse(about ?? '{}') as Pick<Main, 'verdict'>;
  return disagree(ownVerdict, service) ? 1 : 0;
}

/** A line around the hit; of a list, the whole entry that contains it. */
function lineOf(sought: readonly Sought[], field: string, folded: string, shown: string): string | null {
  const entries = shown.split(APART);
  const pieces = folded.split(APART);
  // If an entry has a character that folds to the separator, the entries cannot be matched up.
  if (field !== 'body' && entries.length === pieces.length)
    for (const [index, entry] of entries.entries()) {
      const line = excerptOf(sought, pieces[index] ?? '', () => entry);
      if (line !== null) return entry.length > ENTRY_MOST ? line : entry;
    }
  return excerptOf(sought, folded, () => shown);
}

/**
 * SQL functions that every thread of the store has: pp_kept_about(data); pp_kept_apart(checks, about);
 * pp_has_words(folded, words) and pp_excerpt(sought as JSON, field, folded, shown) of a text. The writer of the cache adds
 * pp_kept_texts and pp_kept_checks.
 */
export function keptFunctions() {
  let last: { json: string; sought: Sought[] } = { json: '[]', sought: [] };
  return {
    pp_kept_about: keptAbout,
    pp_kept_apart: isApart,
    pp_has_words: hasWords,
    pp_excerpt: (json: string, field: string, folded: string, shown: string | null) => {
      if (last.json !== json) last = { json, sought: JSON.parse(json) as Sought[] };
      return lineOf(last.sought, field, folded, shown ?? folded);
    },
  };
}
