/** The port for sources of mail: the store asks it for what its rows do not contain. */
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

/** A downloadable file: of a drive, an attachment, a whole message. */
export interface MatchedFile {
  id: string;
  name: string;
  /** Bytes. */
  size: number;
  sha256: string | null;
  /** A tool matched it. Files of evidence are the analyst's own and can be downloaded unmatched. */
  matched: boolean;
  /** Throws, in words, when the bytes are unavailable. */
  bytes(): Promise<Uint8Array>;
  /** Whether the bytes are available; calls are counted. */
  probe(): 'ready' | 'not-yet' | 'gone';
}

/** Two implementations that cannot import each other: evidence reads its files, the demo generates. */
export interface MailSource {
  /** Whether bodies and headers are stored in searchable form (store/texts.ts). */
  texts: boolean;
  /**
   * The headers as received. Bytes that are not UTF-8 are mapped to one character each (latin1), as header parsers
   * expect of raw 8-bit headers.
   */
  headers(store: Store, row: EmailRow): Promise<string>;
  body(store: Store, row: EmailRow): Promise<MailBody>;
  /** The message itself, or null if its bytes are not available. */
  message(store: Store, row: EmailRow): MatchedFile | null;
  /** A file of a drive, an attachment by `<email>-a<position>`, or a message by its id, or null if there is none. */
  matchedFile(store: Store, id: string): Promise<MatchedFile | null>;
  /** The organisation with its tools, drives and people, or null if the source has only mail, as evidence does. */
  tenant: Tenant | null;
}

/** A link that the anti-phishing tool examined: one of the mail, or one it led to. */
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
  /** On all pages. */
  total_rows: number;
};

export interface ScanSubject {
  entityId: string;
  scans: readonly ScanRecord[];
  /** When the entity arrived, milliseconds since the epoch. */
  since: number | null;
  /** Milliseconds after arrival at which verdicts were changed, if the tools themselves do not say. */
  reEvaluatedAfter?: number | undefined;
  from: string;
  domain: string;
  files: readonly string[];
  links: number;
}

export interface RescanSubject {
  entityId: string;
  tool: string;
  /** The tool's previous result. */
  before: ScanRecord | undefined;
  scans: readonly ScanRecord[];
  /** A user reported it. */
  reported: boolean;
  /** Number of this tool's rescan, from 1. */
  run: number;
}

/** The behaviour of a simulated organisation. */
export interface Tenant {
  /** When a tool scanned, how long it took, and its reasons. */
  scanDetail(scan: ScanRecord, subject: ScanSubject): Partial<ScanDetail>;
  fileScans(verdict: string): ScanRecord[];
  messageScans(row: { verdict: string; verdict_code: string | null; links_count: number }): ScanRecord[];
  /** Milliseconds. */
  rescanTime(entityId: string, tool: string): number;
  rescan(subject: RescanSubject): ScanRecord;
  /** The mailbox responds only to the second attempt. */
  isSlowMailbox(entityId: string): boolean;
  restoreServiceAnswers(row: EmailRow): boolean;
  loginsAnswer(app: string, fail: boolean | 'unknown'): boolean;
  /** Fields of a user that are in no table. */
  userFields(user: { entity_id: string; isAdmin: boolean }): Record<string, unknown>;
  debugLinks(row: EmailRow, links: readonly LinkRow[]): DebugLink[];
  /** Rows `from` to `to` (exclusive), from 0; those out of range are omitted. */
  filePermissions(store: Store, row: FileRow, from: number, to: number): Promise<Page<Permission>>;
  /** Newest first. */
  fileEvents(store: Store, row: FileRow, from: number, to: number): Promise<Page<EntityEvent>>;
}
