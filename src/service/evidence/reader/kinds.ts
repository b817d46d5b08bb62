/** What a file holds: by its name, else by how it begins. */
import type { ArchiveKind } from './archive.ts';
import { beginsMail, isMailField, leadOf } from './mail-start.ts';

/** What Outlook and Exchange write, read as the mail that is made of it. */
export type ConvertedKind = 'msg' | 'tnef';

export type MailKind = 'mail' | 'mbox' | 'emlx' | ConvertedKind | ArchiveKind;

/** What a folder is to a Maildir: its messages, its unfinished deliveries, or nothing. */
export type Role = 'messages' | 'unfinished' | null;

/** Bytes at the start of a file by which it is judged. */
export const SNIFF_BYTES = 4096;
/** Mail servers keep the messages of a Maildir so, under names that do not tell. */
const GZIP = '\x1f\x8b\x08';
/** Pages that a browser saved as mail. */
const SAVED_PAGE = /\.mht(?:ml)?$/;
const ANY_FIELD = /^[!-9;-~]{1,76}[ \t]*:/;

const ARCHIVES: readonly [RegExp, ArchiveKind][] = [
  [/\.zip$/, 'zip'],
  [/\.tar$/, 'tar'],
  [/\.(?:gz|tgz)$/, 'gzip'],
  [/\.(?:pst|ost)$/, 'pst'],
];

export const isArchive = (kind: MailKind): kind is ArchiveKind =>
  kind === 'zip' || kind === 'tar' || kind === 'gzip' || kind === 'pst';

/** Read here and there, not from the start on: held in memory where it lies in another archive. */
export const isReadAcross = (kind: MailKind): boolean => kind === 'zip' || kind === 'pst';

/** Of a file whose name says something else: `john.smith`, `INBOX.Sent`, `mbox.old`, `mail.txt`. */
function kindInside(text: string): MailKind | null {
  if (text.startsWith('From ')) return beginsMail(text.slice(text.indexOf('\n') + 1)) ? 'mbox' : null;
  return beginsMail(text) ? 'mail' : null;
}

/**
 * null: no mail. `start` gives the first SNIFF_BYTES as latin1, and is asked only where the name does not decide. An
 * .eml is always one mail, even with a "From " line.
 */
export async function kindOf(
  name: string,
  role: Role,
  start: () => Promise<string>,
): Promise<MailKind | null> {
  const lower = name.toLowerCase();
  const head = async () => {
    const text = await start();
    return text.slice(leadOf(text));
  };
  if (lower.endsWith('.eml')) return 'mail';
  if (role === 'messages') {
    const text = await head();
    if (text.startsWith(GZIP)) return 'gzip';
    return ANY_FIELD.test(text) || /^>?From /.test(text) ? 'mail' : null;
  }
  const archive = ARCHIVES.find(([names]) => names.test(lower));
  if (archive !== undefined) return archive[1];
  if (lower.endsWith('.emlx')) return 'emlx';
  if (/^winmail\.dat$|\.tnef$/.test(lower)) return 'tnef';
  if (lower.endsWith('.msg')) return isMailField(await head()) ? 'mail' : 'msg';
  const named = /\.(?:mbox|mbx)$/.test(lower);
  // Mail stores name files without an extension, by a number, or with flags that resemble an extension.
  const bare = !/\.[a-z][a-z0-9]{0,7}$/.test(lower) || /^\d+\.|[:;!]2,[a-z]*$/.test(lower);
  const text = await head();
  if (!named && !bare) return SAVED_PAGE.test(lower) ? null : kindInside(text);
  if (bare && text.startsWith(GZIP)) return 'gzip';
  if (text.startsWith('From ')) return 'mbox';
  if (named) return text === '' ? 'mbox' : isMailField(text) ? 'mail' : null;
  return isMailField(text) ? 'mail' : null;
}
