/** What an import of evidence gives to the store, and asks it. */
import type { EvidenceReport } from '#shared/embedded.ts';
import type { AuthSummary } from '#shared/mail/header-mail.ts';
import type { EmailRows } from './email-rows.ts';
import type { LoginRecord } from './records.ts';

/** The fields of a mail that determine its conversation. */
export interface ThreadFacts {
  /** Keys that it shares with the other mails of its conversation. */
  keys: string[];
  /** Without reply prefixes, or null if too little is known to match by subject. */
  subject: { base: string; isOrphan: boolean; from: string; at: number } | null;
}

/** A mail as it is stored, built in the thread that parses it. */
export interface KeptMail {
  rows: EmailRows;
  thread: ThreadFacts;
  campaignKeys: readonly number[];
}

/** Derived from the content alone: a mail keeps its id wherever it is stored, and copies are one email. */
export const entityIdOf = (sha256: string): string => sha256.slice(0, 32);

/** Location of a message's raw bytes. */
export interface EvidenceSource {
  /** Relative to the opened folder, '/' between the parts. */
  file: string;
  /** The path in the archive `file`, through nested archives; '' if `file` is not an archive. */
  entry: string;
  /** In the file, or in the unpacked entry. */
  offset: number;
  length: number;
  /** True when the message is in an mbox, whose ">From " quoting is undone on reading. */
  mbox: boolean;
  /** SHA-256 of the message without mbox quoting; lowercase hex. */
  sha256: string;
  /**
   * Whether the location marks the mail as read, or null if unknown. Omitted: the mail's own fields decide, as in an
   * mbox.
   */
  isRead?: boolean | null;
}

/** A mail at any place, with its content as read. */
export type EvidenceMail<T> = T & { sha256: string; attached: AttachedMail<T>[] };

/** `content`: null for a known copy of another mail. */
export interface AttachedMail<T> {
  /** Its position in the mail that contains it; of one in an archive also its place there, `2/reports.zip/one.eml`. */
  part: string;
  sha256: string;
  content: EvidenceMail<T> | null;
}

/** A mail in a file. */
export type EvidenceMessage<T> = EvidenceMail<T> & { source: EvidenceSource };

export interface EvidenceProblem {
  /** With the entry if it is in an archive. */
  file: string;
  /** Offset of the message in its file, or null for the whole file. */
  offset: number | null;
  /**
   * An entry is a file in an archive that was not read or is not mail. `unopened` is a file of an unsupported format
   * that may contain mail. `keys` is the file of DKIM keys beside the evidence.
   */
  kind:
    | 'unreadable'
    | 'unparsable'
    | 'too-large'
    | 'not-mail'
    | 'unopened'
    | 'unread entry'
    | 'other entry'
    | 'keys';
  reason: string;
}

/** A file as it was read; skipped next time if unchanged. */
interface FileState {
  file: string;
  size: number;
  mtimeMs: number;
  /** Null if its times may hide a change, so it is never known as unchanged. */
  ctimeMs: number | null;
  ino: number;
}

export interface EvidenceFile extends FileState {
  /** Number of messages in it, including those skipped as known. */
  messages: number;
}

/** To be written in one transaction. A file is listed in `files` only with or after its last message. */
export interface EvidenceBatch<T> {
  messages: EvidenceMessage<T>[];
  /** Places of mail that is stored already or part of this batch. */
  copies: EvidenceSource[];
  problems: EvidenceProblem[];
  files: EvidenceFile[];
}

/** A sign-in log as it is read. */
export interface SigninLog extends Omit<FileState, 'ino'> {
  /** The columns that the analyst named, as JSON. */
  columns: string;
  /** Version of the reader of sign-in logs. */
  reader: string;
}

/** What makes two lines of logs the same sign-in. */
export interface SigninIdentity {
  /** SHA-256. */
  hex: string;
  /** Of an id that no other sign-in has. Otherwise, the log may have several sign-ins in equal lines. */
  isUnique: boolean;
}

export interface ReadSignin {
  login: LoginRecord;
  identity: SigninIdentity;
  /** Number of its first line in the log, from 1. */
  line: number;
  /** Its number among the entries of a JSON log, from 1; a log with one sign-in a line needs none. */
  entry: number | null;
}

/** Which sign-in logs a reading reached. */
export interface SigninSummary {
  /** Logs that were read, or are unchanged. */
  seen: ReadonlySet<string>;
  /** Unreadable logs: sign-ins read from them earlier are kept. */
  unread: readonly string[];
  /** Logs whose stored sign-ins all come from this reading, even if the log broke off. */
  begun: ReadonlySet<string>;
}

/** What a reading reached, to tell which records are missing. */
export interface Reached {
  /** Every mail file that was read or is unchanged. */
  seen: readonly string[];
  /** Inaccessible locations: mail read there or below earlier does not count as gone. '' is the root. */
  blocked: readonly string[];
  /** Folders where another disk or share begins. '' is the root. */
  mounts: readonly string[];
  logs: SigninSummary;
}

/** One reading of a folder or file. Each call is one transaction, so an interrupted reading keeps what it stored. */
export interface Reading {
  /** Whether this file was read in full as it is now. */
  hasFile(file: FileState): Promise<boolean>;
  /** Call it before a file is read: its problems are found again. */
  beginFile(file: string): Promise<void>;
  /** Whether a mail of this SHA-256 is stored, as this version reads it. */
  hasMail(sha256: string): Promise<boolean>;
  add(batch: EvidenceBatch<KeptMail>): Promise<void>;
  /** Whether this log is the same as when it was last read in full, or null if it never was. */
  stateOfLog(log: SigninLog): Promise<'same' | 'changed' | null>;
  /** Removes what was stored of a log, which is read anew; returns its id. */
  beginLog(log: SigninLog): Promise<number>;
  addSignins(log: number, signins: readonly ReadSignin[]): Promise<void>;
  /** The log was read to its end. The reasons say what was left out, or is unknown. */
  endLog(
    log: number,
    file: string,
    signins: readonly ReadSignin[],
    reasons: readonly string[],
  ): Promise<void>;
  /** The log cannot be read. */
  refuseLog(file: string, reason: string): Promise<void>;
  /** Removes what is missing, unless that is so much that the analyst must decide. */
  end(reached: Reached): Promise<EvidenceReport>;
}

export interface ReadingOptions {
  /** Version of the reader of mail: mail that another one read is read again. */
  reader: string;
  /** No file counts as read. */
  verifies: boolean;
  /** New mail waits for the rules. */
  queues: boolean;
}

export interface Evidence {
  /** Starts a reading of a folder or file. */
  reading(root: string, options: ReadingOptions): Promise<Reading>;
  /** Derives the authentication of all mail from its headers, unless the same servers were trusted before. */
  trust(
    servers: readonly string[],
    derive: (headers: Buffer) => Pick<AuthSummary, 'spf' | 'dkim' | 'dmarc' | 'trusted'>,
  ): Promise<void>;
  /** Problems, files that are not mail, and missing records, without reading anything. */
  report(): Promise<EvidenceReport>;
  /**
   * Applies the analyst's decision about missing records: keeps them permanently, or removes them with everything that
   * belongs to them. Returns how many emails and logins were removed.
   */
  resolve(answer: 'keep' | 'remove'): Promise<number>;
}
