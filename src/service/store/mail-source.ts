/** The port to where mail comes from: the store asks it for what its rows do not contain. */
import type { EntityEvent, Permission, ScanDetail } from '#shared/model/entities.ts';
import type { EmailRow, LinkRow } from './emails.ts';
import type { FileRow } from './files.ts';
import type { ScanRecord } from './records.ts';
import type { Store } from './store.ts';

interface MailBody {
  html: string | null;
  text: string | null;
  /** Data URLs by Content-ID. */
  inline: Record<string, string>;
  truncated: boolean;
}

/** A file that can be downloaded: of a drive, an attachment, a whole message. */
export interface MatchedFile {
  id: string;
  name: string;
  /** Bytes. */
  size: number;
  sha256: string | null;
  /** A tool matched it. Files of evidence are the analyst's own and can be had unmatched. */
  matched: boolean;
  /** Throws, in words, when the bytes cannot be had. */
  bytes(): Promise<Uint8Array>;
  /** Whether the bytes can be had now; asking counts. */
  probe(): 'ready' | 'not-yet' | 'gone';
}

/** Two implementations that cannot import each other: evidence reads its files, the demo generates. */
export interface MailSource {
  /**
   * The headers as received. Bytes that are not UTF-8 come one character each (latin1), as header parsers expect
   * of raw 8-bit headers.
   */
  headers(store: Store, row: EmailRow): string;
  body(store: Store, row: EmailRow): MailBody;
  /** The message itself; null: nobody has its bytes. */
  message(store: Store, row: EmailRow): MatchedFile | null;
  /** A file of a drive, an attachment by `<email>-a<position>`, or a message by its id; null: there is none. */
  matchedFile(store: Store, id: string): MatchedFile | null;
  /** The organisation whose tools, drives and people a tenant shows; null: a source of mail alone, as evidence is. */
  tenant: Tenant | null;
}

/** A link that the anti-phishing tool looked at in a mail: one of the mail, or one that it led to. */
export type DebugLink = {
  url: string;
  host: string;
  /** href, redirect, image, form or script. */
  kind: string;
  depth: number;
  status: number;
  verdict: string;
  score: number;
};

type Page<T> = {
  rows: T[];
  /** Of all pages. */
  total_rows: number;
};

/** What a tool is asked about. */
export interface ScanSubject {
  entityId: string;
  scans: readonly ScanRecord[];
  /** Milliseconds since the epoch at which the entity came. */
  since: number | null;
  /** Milliseconds after it at which verdicts were changed, where the tools themselves do not say. */
  reEvaluatedAfter?: number | undefined;
  from: string;
  domain: string;
  files(): readonly string[];
  links: number;
}

export interface RescanSubject {
  entityId: string;
  tool: string;
  /** What the tool said last. */
  before: ScanRecord | undefined;
  scans: readonly ScanRecord[];
  /** Somebody reported it. */
  reported: boolean;
  /** Which rescan of this tool it is, from 1. */
  run: number;
}

/** The behaviour of a simulated organisation. */
export interface Tenant {
  /** When a tool looked, how long it took and why it says what it says. */
  scanDetail(scan: ScanRecord, subject: ScanSubject): Partial<ScanDetail>;
  fileScans(verdict: string): ScanRecord[];
  messageScans(row: { verdict: string; verdict_code: string | null; links_count: number }): ScanRecord[];
  /** Milliseconds. */
  rescanTime(entityId: string, tool: string): number;
  rescan(subject: RescanSubject): ScanRecord;
  /** The mailbox answers only at the second attempt. */
  isSlowMailbox(entityId: string): boolean;
  restoreServiceAnswers(row: EmailRow): boolean;
  loginsAnswer(app: string, fail: boolean | 'unknown'): boolean;
  /** Fields of a user that no table holds. */
  userFields(user: { entity_id: string; isAdmin: boolean }): Record<string, unknown>;
  debugLinks(row: EmailRow, links: readonly LinkRow[]): DebugLink[];
  /** Rows from `from` up to `to`, counted from 0; what lies outside is left out. */
  filePermissions(store: Store, row: FileRow, from: number, to: number): Page<Permission>;
  /** Newest first. */
  fileEvents(store: Store, row: FileRow, from: number, to: number): Page<EntityEvent>;
}
