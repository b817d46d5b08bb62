/**
 * The store of the service: what it answers, by repository. Each method is one transaction, and what it takes and returns
 * is plain data (docs/adr/0029-store-port.md).
 */
import type { AnswerOf } from '#shared/api/catalogue.ts';
import type { FindingPlace } from '#shared/checks/check.ts';
import type { MatchSubject } from '#shared/exceptions/match.ts';
import type {
  App,
  Campaign,
  CampaignProfile,
  EmailEvidence,
  EmailProfile,
  EntityEvent,
  Exception,
  Finding,
  NewQuery,
  Query,
  RuleState,
} from '#shared/model/entities.ts';
import type { ConditionGroup } from '#shared/query/tree.ts';
import type { RuleHead } from '#shared/rules/rule.ts';
import type { ActionOutcome, ActionRequest, Actor, Planned, QueryAction, Report } from './action.ts';
import type {
  AttachmentRow,
  ClickRow,
  EmailRow,
  FilePlace,
  LinkRow,
  RawRow,
  RecipientRow,
} from './emails.ts';
import type { EntityState } from './entity-state.ts';
import type { Evidence } from './evidence.ts';
import type { ExceptionPage, ExceptionSearch, Ruling } from './exceptions.ts';
import type { FileRow } from './files.ts';
import type { LoginAsk, LoginMatch, LoginPage } from './logins.ts';
import type { MailSource } from './mail-source.ts';
import type {
  AppRecord,
  EmailRecord,
  ExceptionRecord,
  FileRecord,
  GroupRecord,
  LoginRecord,
  MessageRecord,
  UserRecord,
} from './records.ts';
import type { Rows } from './rows.ts';
import type { FindingMark, HitChange, ListedValue, Observables, StoredRule, WholeRule } from './rules.ts';
import type { StackCounts } from './statistics.ts';

interface Mails {
  /** By its own id, or by that of a delivered copy (`<id>.<position>`). */
  find(entityId: string): Promise<EmailRow | null>;
  row(id: number): Promise<EmailRow | null>;
  count(): Promise<number>;
  /** Row ids in order. */
  idsAfter(id: number, most: number): Promise<number[]>;
  /** The domains of the mailboxes that evidence comes from, guessed. */
  ownDomains(): Promise<string[]>;
  /** The first mails of a conversation. */
  conversation(threadId: string, most: number): Promise<EmailRow[]>;
  recipients(id: number): Promise<RecipientRow[]>;
  attachments(id: number): Promise<AttachmentRow[]>;
  /** The files in its attached archives. */
  members(id: number): Promise<AttachmentRow[]>;
  links(id: number): Promise<LinkRow[]>;
  clicks(id: number): Promise<ClickRow[]>;
  /** A click with its mail. */
  click(id: number): Promise<EntityRow | null>;
  /** The attachment with id `<email>-a<position>` and its email. */
  attachment(id: string): Promise<{ email: EmailRow; row: AttachmentRow } | null>;
  /** The number of mails with each of these attachments. */
  sightings(hashes: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Headers and texts of evidence, packed. */
  raw(id: number): Promise<RawRow | null>;
  /** Places in files, existing ones first. */
  places(id: number): Promise<FilePlace[]>;
  /** The mails that it is attached to. */
  parents(id: number): Promise<number[]>;
  /** Where a mail of evidence is from and what was found in it. Null if it is no evidence. */
  evidence(row: EmailRow): Promise<EmailEvidence | null>;
}

/** A row of any table by column, with its id. */
export type EntityRow = Record<string, unknown> & { entity_id: string };

interface People {
  /** By id or address. */
  user(id: string): Promise<EntityRow | null>;
  group(id: string): Promise<EntityRow | null>;
  owners(addresses: readonly string[]): Promise<ReadonlyMap<string, { entity_id: string; name: string }>>;
  count(): Promise<number>;
  /** In the order of the directory, from 0. */
  range(from: number, count: number): Promise<{ entity_id: string; name: string; email: string }[]>;
}

export interface Message extends EntityRow {
  saas: string;
  sent_at: number;
  sender: string;
  channel: string;
  text: string;
  links_count: number;
  verdict: string;
  verdict_code: string | null;
}

type PendingAction = NonNullable<EmailProfile['pending_actions']>[number];

/** What is known about entities of any kind. */
interface Entities {
  /** The type and own id; a delivered copy resolves to its email. */
  typeOf(id: string): Promise<{ type: string; id: string } | null>;
  message(id: string): Promise<Message | null>;
  state(id: string): Promise<EntityState>;
  identify(id: string, identifier: string): Promise<void>;
  /** Recorded events, newest first. */
  events(id: string): Promise<EntityEvent[]>;
  /** Planned actions on it or one of its copies. */
  pending(id: string): Promise<PendingAction[]>;
  /** Running rescans by tool, with the time each will be done. */
  rescans(id: string): Promise<ReadonlyMap<string, number>>;
}

interface Files {
  find(entityId: string): Promise<FileRow | null>;
}

interface Exceptions {
  search(search: ExceptionSearch): Promise<ExceptionPage>;
  /** Adds validated entries unless there are equal ones: the ids, and whether each is new. `of` is the entity it is made of. */
  add(
    entries: readonly { tool: string; entry: Exception; of?: string }[],
    actor: Pick<Actor, 'role'> & { name: string | null },
    now: number,
  ): Promise<{ id: string; isNew: boolean }[]>;
  /** Null if no entry of the tool matches. */
  ruling(tool: string, subject: MatchSubject): Promise<Ruling | null>;
}

export interface QueryStamp {
  time: string;
  by: string | null;
  id?: string;
}

/** `now` is in milliseconds since the epoch, for the last and next runs of schedules. */
export interface Queries {
  list(filter: { subtype?: string | undefined; entity?: string | undefined }, now: number): Promise<Query[]>;
  get(id: string, now: number): Promise<Query | null>;
  names(): Promise<Set<string>>;
  /** Assigns an id unless one is given. */
  add(queries: readonly { query: NewQuery; stamp: QueryStamp }[], now: number): Promise<Query[]>;
  /** A string is a refusal in words. Null if there is no query of this id. */
  change(
    ids: readonly string[],
    change: (query: Query) => NewQuery | string,
    time: string,
    now: number,
  ): Promise<(Query | string | null)[]>;
  remove(id: string): Promise<boolean>;
  /** The password of its schedule: null if it has none, undefined if it has one that is no longer known. */
  password(query: Query): Promise<string | null | undefined>;
  /** Records that results were sent. */
  sent(of: {
    query: Query;
    time: number;
    format: string;
    rows: number;
    bytes: number;
    isSealed: boolean;
  }): Promise<void>;
}

interface Logins {
  /** `failed` is null if the outcome is not recorded. */
  page(saas: string, failed: boolean | null, ask: LoginAsk): Promise<LoginPage>;
  /** Null if there are too many, or a matching sign-in names no user. */
  users(saas: string, failed: boolean | null, match: LoginMatch): Promise<string[] | null>;
  /** Where a sign-in is in logs. Null if there is no such sign-in any more. */
  places(
    saas: string,
    of: { id: number; user?: string | undefined; time?: number | undefined },
  ): Promise<AnswerOf<'logins.places'> | null>;
}

interface Stack {
  /** In app store order. */
  apps(): Promise<App[]>;
  /** Counts of a span of time in buckets, all in milliseconds. With stacks it has the results of the tools, too. */
  counts(span: { from: number; to: number; bucket: number }, withStacks: boolean): Promise<StackCounts>;
}

interface Actions {
  /** On these entities, now or at `due`. */
  perform(
    ids: readonly string[],
    request: Omit<ActionRequest, 'entityId'> & { due: number | null },
  ): Promise<(ActionOutcome & Partial<Planned>)[]>;
  /** On everything that the condition matches. Null, and nothing is done, if that is more than `most`. */
  performOn(
    condition: Parameters<Rows['count']>[0],
    most: number,
    what: QueryAction,
  ): Promise<(ActionOutcome & { entityId: string })[] | null>;
  report(report: Report): Promise<void>;
  /** The tools that can scan an entity again, or null if none can. */
  rescannable(entityType: string, entityId: string): Promise<string[] | null>;
  /** Returns when the last rescan will be done. */
  rescan(
    entityType: string,
    entityId: string,
    tools: readonly string[],
    by: Actor,
    now: number,
  ): Promise<number>;
  isAnyDue(now: number): Promise<boolean>;
  applyDue(now: number): Promise<void>;
}

interface Campaigns {
  /** Those that deserve a look first. */
  first(size: number): Promise<{ rows: Campaign[]; total_rows: number; deserving: number }>;
  profile(id: number): Promise<CampaignProfile | null>;
  /** Null if the email is in none. */
  name(id: number | null): Promise<{ id: string; name: string; emails: number } | null>;
}

interface Rules {
  all(): Promise<StoredRule[]>;
  find(id: string): Promise<WholeRule | null>;
  /** Whether a rule waits to be applied or removed. */
  isAnyPending(): Promise<boolean>;
  /** Adopts the rules of the profile, except those whose text is not here yet: their ids are returned. */
  adopt(heads: readonly RuleHead[]): Promise<string[]>;
  /** Stores a rule with its text; all mail must be checked by it. */
  put(head: RuleHead, text: string): Promise<void>;
  settle(id: string, state: 'applied' | 'failed', reason: string | null, now: number): Promise<void>;
  /** Lets enabled rules, or those with these ids, check all mail again. */
  restart(ids: readonly string[] | null): Promise<void>;
  forget(id: string): Promise<void>;
  /** Mails that no rule has checked yet, and those after an id in which a rule has hits. */
  queued(most: number): Promise<number[]>;
  mailsWithHits(id: string, after: number, most: number): Promise<number[]>;
  replaceHits(change: HitChange): Promise<void>;
  /** Removes some values of a list of indicators. False if none are left. */
  dropValues(id: string): Promise<boolean>;
  addValues(id: string, values: readonly ListedValue[]): Promise<void>;
  /** Those of these values that the list has, as `type value`. */
  listed(id: string, values: readonly ListedValue[]): Promise<ReadonlySet<string>>;
  /** The mails among these that fulfil a condition, and where, if that can be shown. Rejects with ConditionError. */
  matches(
    condition: ConditionGroup,
    ids: readonly number[],
    now: number,
  ): Promise<{ emailId: number; place: FindingPlace | null }[]>;
  /** What mails contain that indicators may name. */
  observables(ids: readonly number[]): Promise<Observables>;
  states(): Promise<RuleState[]>;
  /** Marks a finding as a false positive, or removes the mark. False if the mail has no such finding. */
  mark(mark: FindingMark, isMarked: boolean, by: { now: number; by: string | null }): Promise<boolean>;
}

interface Findings {
  widgets(): Promise<{ id: string; label: string; severity: number; count: number }[]>;
  /** For one widget or all, one entity or all; most severe first. Null if there is no such widget. */
  list(widget: string | undefined, entityId: string | undefined): Promise<Finding[] | null>;
  /** Where each finding can be fixed; unknown ids are omitted. */
  links(ids: readonly string[]): Promise<{ id: string; url: string }[]>;
}

export interface CustomList {
  id: string;
  label: string;
  count: number;
}

interface Lists {
  /** In the order they were added. */
  all(): Promise<CustomList[]>;
  /** Folded (query/text.ts), sorted, or undefined if there is no list of this id. */
  values(id: string): Promise<string[] | undefined>;
  add(id: string, label: string, values: readonly string[]): Promise<void>;
  /** The checks that the analyst's rules are, by name. */
  rules(): Promise<{ value: string; label: string }[]>;
}

/** Fills a new store: each list of records is one transaction, so give many at a time. */
interface Records {
  emails(records: readonly EmailRecord[]): Promise<void>;
  users(records: readonly UserRecord[]): Promise<void>;
  groups(records: readonly GroupRecord[]): Promise<void>;
  files(records: readonly FileRecord[]): Promise<void>;
  messages(records: readonly MessageRecord[]): Promise<void>;
  apps(records: readonly AppRecord[]): Promise<void>;
  logins(records: readonly LoginRecord[]): Promise<void>;
  exceptions(records: readonly ExceptionRecord[]): Promise<void>;
  /** Call it after the last record: makes reading fast. */
  complete(): Promise<void>;
  /** Moves every instant by `by` ms; what people did later stays before `now`. `settings` are set in the same transaction. */
  shift(by: number, now: number, settings: Readonly<Record<string, string>>): Promise<void>;
}

/** What a store says of itself, such as where its rows are from. */
interface Settings {
  get(key: string): Promise<string | null>;
  set(key: string, value: string): Promise<void>;
}

export interface Store {
  readonly source: MailSource;
  /** Signs links to files; valid for this run, and shared by all connections to one store. */
  readonly linkKey: Uint8Array;
  readonly mails: Mails;
  readonly people: People;
  readonly entities: Entities;
  readonly files: Files;
  readonly exceptions: Exceptions;
  readonly queries: Queries;
  readonly logins: Logins;
  readonly stack: Stack;
  readonly actions: Actions;
  readonly campaigns: Campaigns;
  readonly rules: Rules;
  readonly findings: Findings;
  readonly lists: Lists;
  readonly rows: Rows;
  readonly records: Records;
  readonly settings: Settings;
  readonly evidence: Evidence;
  /** Whether the error is one of the store, such as a full disk, and not of what it was given. */
  isFailure(error: unknown): boolean;
  /** Whether the error shows that the store is damaged, which is then remembered for its next opening. */
  noteDamage(error: unknown): boolean;
}
