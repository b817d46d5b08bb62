/** The kind of a file: by its name, else by its first bytes. */
import type { ArchiveKind } from '../containers/archive.ts';
import { compressionByName, compressionOf, isCompression } from '../containers/compressions.ts';
import { beginsMail, isHeaderBlock, isMailField, leadOf, narrowed } from '../files/mail-start.ts';
import { type QueueKind, queueKindOf } from './queue-files.ts';
import { isRecordBox } from './record-box.ts';

/** Formats of Outlook and Exchange, and S/MIME without a mail around it, which are converted to mail. */
export type ConvertedKind = 'msg' | 'tnef' | 'smime';

export const isConverted = (kind: MailKind | null): kind is ConvertedKind =>
  kind === 'msg' || kind === 'tnef' || kind === 'smime';

/** Files with several others in them: an archive, or a store of Outlook. */
export type PackedKind = ArchiveKind | 'pst';

/** `olk` is the source of a mail as stored by Outlook for Mac. */
export type MailKind = 'mail' | 'mbox' | 'emlx' | 'olk' | ConvertedKind | QueueKind | PackedKind;

/** The role of a folder in a Maildir: messages, unfinished deliveries, or none. */
export type Role = 'messages' | 'unfinished' | null;

/** Number of first bytes that decide the kind of a file. */
export const SNIFF_BYTES = 4096;
const ZIP = 'PK\x03\x04';
const COMPOUND = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1';
const USTAR_AT = 257;
const TNEF = '\x78\x9f\x3e\x22';
const STORE = '!BDN';
/** The line around each message of an MMDF mailbox. */
export const FENCE = '\x01\x01\x01\x01';
/** Pages that a browser saved as mail. */
const SAVED_PAGE = /\.mht(?:ml)?$/;
/** A header field, whatever its name. */
export const ANY_FIELD = /^[!-9;-~]{1,76}[ \t]*:/;

const ARCHIVES: readonly [RegExp, PackedKind][] = [
  [/\.zip$/, 'zip'],
  [/\.tar$/, 'tar'],
  [/\.(?:pst|ost)$/, 'pst'],
];

export const isArchive = (kind: MailKind): kind is PackedKind =>
  kind === 'zip' || kind === 'tar' || kind === 'pst' || isCompression(kind);

/** Needs random access, so it is kept in memory inside another archive. */
export const isReadAcross = (kind: MailKind): boolean => kind === 'zip' || kind === 'pst';

/** For a file with a misleading name: `john.smith`, `INBOX.Sent`, `mbox.old`, `mail.txt`. */
function kindInside(text: string): MailKind | null {
  if (text.startsWith(FENCE) || isRecordBox(text)) return 'mbox';
  const isBox = text.startsWith('From ');
  const fields = isBox ? text.slice(text.indexOf('\n') + 1) : text;
  if (!beginsMail(fields) && !isHeaderBlock(fields)) return null;
  return isBox ? 'mbox' : 'mail';
}

/** The kind by first bytes alone. `isBare` means that the name says nothing, so the file may also be compressed. */
function kindByMark(text: string, isBare: boolean): MailKind | null {
  if (text.startsWith(TNEF)) return 'tnef';
  if (text.startsWith(STORE) && text.startsWith('SM', 8)) return 'pst';
  if (!isBare) return null;
  if (text.startsWith(ZIP)) return 'zip';
  if (text.startsWith('ustar', USTAR_AT)) return 'tar';
  return text.startsWith(COMPOUND) ? 'msg' : (compressionOf(text) ?? queueKindOf(text));
}

const PACKED = 'unpack it first';
/** Unsupported files that may contain mail, by their first bytes: their type, and what to do. */
const UNOPENED: readonly [string | RegExp, string, string][] = [
  ['7z\xbc\xaf\x27\x1c', 'a 7z archive', PACKED],
  ['Rar!\x1a\x07', 'a RAR archive', PACKED],
  ['CRYPTED\x03\x07', 'encrypted by Dovecot', 'export its mail with doveadm first'],
  ['BABYL OPTIONS:', 'a mailbox of Emacs (Babyl)', 'convert it to mbox first'],
  [/^<\?xml[^>]*>\s*<emails?[ >]/, 'mail of Outlook for Mac', 'export it as .eml or .mbox first'],
];
const EXPORTED = 'export its mail first, as .eml, .mbox or .pst';
/** The same, by name. */
const OTHER_STORES: readonly [RegExp, string, string][] = [
  [/\.olm$/i, 'an archive of Outlook for Mac', EXPORTED],
  [/\.olk1[45]message$/i, 'a record of a mail in Outlook for Mac', EXPORTED],
  [/\.dbx$/i, 'a folder of Outlook Express', EXPORTED],
  [/\.tbb$/i, 'a folder of The Bat!', EXPORTED],
  [/(?:^|\/)hxstore\.hxd$/i, 'the store of Mail for Windows', EXPORTED],
  [/(?:^|\/)geary\.db$/i, 'the mail of Geary', EXPORTED],
  [/(?:^|\/)edgehill\.db$/i, 'the mail of Mailspring', EXPORTED],
  [/(?:^|\/)mail_data\.dat$/i, 'the mail of eM Client', EXPORTED],
  [/\.nsf$/i, 'a database of Notes', EXPORTED],
  [/\.edb$/i, 'a database of Exchange', EXPORTED],
  [
    /(?:^|\/)\w{6}-\w{6,11}-\w{2,4}-[DH]$/,
    'half of a mail in Exim’s queue',
    'put the other half (-H or -D) beside it, or write it with “exim -Mvc” first',
  ],
  [
    /(?:^|\/)[dq]f[\dA-Za-z]{8}\d{5,8}$/,
    'half of a mail in Sendmail’s queue',
    'join its “qf” and “df” files first',
  ],
];

const unopenedBy = (text: string) =>
  UNOPENED.find(([mark]) => (typeof mark === 'string' ? text.startsWith(mark) : mark.test(text)));

/** The unsupported packing of a message, or null if its first bytes show none. */
export const packedAs = (text: string): string | null => unopenedBy(text)?.[1] ?? null;

/** For an unread file that may contain mail: what it is and what to do, or null if there is no sign of mail. */
export function unopened(name: string, text: string): string | null {
  const [, what, next] = unopenedBy(text) ?? OTHER_STORES.find(([names]) => names.test(name)) ?? [];
  return what === undefined ? null : `${what}, which is not opened here: ${next}`;
}

/**
 * Null if not mail. `start` gives the first SNIFF_BYTES as latin1, and is only called if the name does not decide. An
 * .eml is always a single mail, even with a "From " line.
 */
export async function kindOf(
  name: string,
  role: Role,
  start: () => Promise<string>,
): Promise<MailKind | null> {
  const lower = name.toLowerCase();
  const head = async () => {
    const text = narrowed(Buffer.from(await start(), 'latin1')).toString('latin1');
    return text.slice(leadOf(text));
  };
  if (lower.endsWith('.eml')) return 'mail';
  if (role === 'messages') {
    const text = await head();
    // Mail servers compress messages without saying so in the name.
    return compressionOf(text) ?? (ANY_FIELD.test(text) || /^>?From /.test(text) ? 'mail' : null);
  }
  const archive = ARCHIVES.find(([names]) => names.test(lower))?.[1] ?? compressionByName(lower);
  if (archive !== null) return archive;
  if (lower.endsWith('.emlx')) return 'emlx';
  if (/\.olk1[45]msgsource$/.test(lower)) return 'olk';
  if (/^winmail\.dat$|\.tnef$/.test(lower)) return 'tnef';
  if (lower.endsWith('.oft')) return 'msg';
  if (/\.p7[mz]$/.test(lower)) return kindInside(await head()) ?? 'smime';
  if (lower.endsWith('.msg')) {
    const text = await head();
    // Zimbra stores each mail under such a name, compressed on some volumes.
    return compressionOf(text) ?? (isMailField(text) ? 'mail' : (kindInside(text) ?? 'msg'));
  }
  const named = /\.(?:mbox|mbx)$/.test(lower);
  // Mail stores name files without an extension, by a number, or with flags that resemble an extension.
  const bare = !/\.[a-z][a-z0-9]{0,7}$/.test(lower) || /^\d+\.|[:;!]2,[a-z]*$/.test(lower);
  const text = await head();
  const marked = named ? null : kindByMark(text, bare);
  if (marked !== null) return marked;
  if (!named && !bare) return SAVED_PAGE.test(lower) ? null : kindInside(text);
  if (text.startsWith('From ') || text.startsWith(FENCE) || isRecordBox(text)) return 'mbox';
  if (named && text === '') return 'mbox';
  return isMailField(text) || isHeaderBlock(text) ? 'mail' : null;
}
