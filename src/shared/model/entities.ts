/**
 * The entities of the specification, section 3, as schemas. All are loose: fields that a service adds survive the round
 * trip. Names are those of the specification: camelCase for entities, snake_case for rows of sql_queries and execute.
 */
import { z } from 'zod';
import { conditionGroup } from '../query/tree.ts';
import { RECIPIENT_FIELDS, RECIPIENT_KINDS, type RecipientKind } from './enums.ts';

/** An enum that also accepts unknown words (product.md: unknown values are shown, not dropped). */
const word = z.string();
const count = z.number().int().nonnegative();
/** An instant on the wire: ISO 8601 with zone. */
const instant = z.string();

export const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
/** A cell: what one column of one row can hold. */
const cell: z.ZodType<Cell> = z.json();
export type Cell = z.core.util.JSONType;
export const row = z.record(z.string(), cell);
/** One row of a query result or a sql_queries answer, keyed by column id. */
export type Row = Record<string, Cell>;

const column = z.looseObject({
  id: z.string(),
  label: z.string(),
  order: z.number(),
  width: z.number().nullish(),
});
export type Column = z.infer<typeof column>;

export const sort = z.looseObject({ dbId: z.string(), direction: z.enum(['asc', 'desc']) });
export type Sort = z.infer<typeof sort>;

/** Specification section 3, ScheduledExport. The password is write-only: a service never answers with it. */
const scheduledExport = z.looseObject({
  emails: z.array(z.string()),
  format: word,
  frequency: word,
  /** Other numbers are shown as unknown, and refused when saved (model/schedule.ts). */
  week: z.number().nullish(),
  day: z.number().nullish(),
  time: z.string(),
  password: z.string().nullish(),
});
export type ScheduledExport = z.infer<typeof scheduledExport>;

/** Specification section 3, Query. */
export const query = z.looseObject({
  id: z.string(),
  type: word,
  subType: word.nullish(),
  createdBy: z.string().nullish(),
  description: z.string().nullish(),
  domain: word,
  entityType: word,
  name: z.string(),
  saas: z.string().nullish(),
  severity: z.union([z.number(), z.string()]).nullish(),
  status: word.nullish(),
  filter: conditionGroup.nullish(),
  columns: z.array(column),
  sort: z.array(sort).nullish(),
  reportColumns: z.array(column).nullish(),
  reportCondition: conditionGroup.nullish(),
  scheduledExport: scheduledExport.nullish(),
  actionsList: z.array(z.string()).nullish(),
  createTime: instant.nullish(),
  updateTime: instant.nullish(),
});
export type Query = z.infer<typeof query>;

/** A query that has no id of the service yet. */
export const newQuery = query.extend({ id: z.string().nullish() });
export type NewQuery = z.infer<typeof newQuery>;

/** Specification section 3, Query result. The cursor is opaque and lives one minute (section 9). */
export const cursor = z.union([z.string(), z.number(), z.array(scalar), z.record(z.string(), scalar)]);
export type Cursor = z.infer<typeof cursor>;
export const queryResult = z.looseObject({
  rows: z.array(row),
  search_after: cursor.nullish(),
  total_rows: count,
});
export type QueryResult = z.infer<typeof queryResult>;

/** Specification section 3, Query config: operators. */
const operatorConfig = z.looseObject({
  id: z.string(),
  label: z.string(),
  /** The condition in words, with `{field}` and `{value}`, e.g. "{field} is {value}". */
  template: z.string(),
  /** Number of values; -1 for one or more. */
  arity: z.number().int(),
  analyzer: z.string().nullish(),
  regex: z.boolean().nullish(),
  list: z.boolean().nullish(),
});
export type OperatorConfig = z.infer<typeof operatorConfig>;

/** Specification section 3, Query config: fields. */
const fieldConfig = z.looseObject({
  id: z.string(),
  dbId: z.string(),
  label: z.string(),
  type: word,
  group: z.string().nullish(),
  unit: z.string().nullish(),
  size: z.number().nullish(),
  multiValues: z.boolean().nullish(),
  width: z.number().nullish(),
  operators: z.array(z.string()),
  allowedValues: z.array(z.looseObject({ value: scalar, label: z.string() })).nullish(),
  sortable: z.boolean().nullish(),
  /** Of a column that shows where another field meets the condition: that field. */
  matchOf: z.string().nullish(),
  /** How the values are stored, so that what a mail shows can be pasted: `one-line`, `message-id` or `domain`. */
  stored: z.string().nullish(),
  /** A value as it is written, where that is not evident. */
  example: z.string().nullish(),
});
export type FieldConfig = z.infer<typeof fieldConfig>;

const actionConfig = z.looseObject({
  id: z.string(),
  label: z.string(),
  params: z
    .array(
      z.looseObject({
        id: z.string(),
        label: z.string(),
        type: word,
        required: z.boolean().nullish(),
        allowedValues: z.array(z.looseObject({ value: scalar, label: z.string() })).nullish(),
      }),
    )
    .nullish(),
  danger: z.boolean().nullish(),
});
export type ActionConfig = z.infer<typeof actionConfig>;

/** Specification section 3, Query config. */
export const queryConfig = z.looseObject({
  operators: z.array(operatorConfig),
  fields: z.array(fieldConfig),
  /** The default columns. */
  columns: z.array(column),
  /** Suggested conditions for a new query, with operator labels. */
  conditions: z.array(z.looseObject({ field: z.string(), operator: z.string(), label: z.string() })),
  actions: z.array(actionConfig),
  /** Custom lists that list operators refer to. */
  lists: z
    .array(
      z.looseObject({
        id: z.string(),
        label: z.string(),
        count: count.nullish(),
        /** All values, for evaluating conditions on local rows; omitted when there are too many. */
        values: z.array(z.string()).nullish(),
      }),
    )
    .nullish(),
  /** The field that identifies a row's entity, so that a condition on it matches exactly the chosen rows. */
  entityField: z.string().nullish(),
  /** Groups of a condition may have `negate`; a service that does not say so could ignore it and match the opposite. */
  negatedGroups: z.boolean().nullish(),
  /** The default sort. */
  sort: z.array(sort).nullish(),
});
export type QueryConfig = z.infer<typeof queryConfig>;

/** Specification section 3, App/module. */
export const app = z.looseObject({
  name: z.string(),
  label: z.string(),
  state: word,
  category: z.string().nullish(),
  family: z.string().nullish(),
  is_saas: z.boolean(),
  license_info: word.nullish(),
  options: z.record(z.string(), z.json()).nullish(),
  app_store_order: z.number().nullish(),
  security_stack_order: z.number().nullish(),
});
export type App = z.infer<typeof app>;

/** apps/statistics: one app's counts over a window, in total and by bucket for small charts. */
const appStatistics = z.looseObject({
  name: z.string(),
  /** null, here and below: the service does not count it. */
  scanned: count.nullish(),
  found: count.nullish(),
  found_no_click: count.nullish(),
  suspicious: count.nullish(),
  spam: count.nullish(),
  not_scanned: count.nullish(),
  /** The service could not count this app, so its numbers are meaningless. */
  error: z.string().nullish(),
  series: z
    .array(
      z.looseObject({
        time: instant,
        scanned: count,
        found: count,
        found_no_click: count.nullish(),
        suspicious: count,
        spam: count.nullish(),
      }),
    )
    .nullish(),
});
export type AppStatistics = z.infer<typeof appStatistics>;

export const statistics = z.looseObject({
  /** What the counts cover, or null if the service does not say. */
  from: instant.nullish(),
  to: instant.nullish(),
  apps: z.array(appStatistics),
  /** The same per security tool, if requested: an email counts for each tool that scanned it. */
  tools: z.array(appStatistics).nullish(),
  quarantined: count.nullish(),
  /** Emails that a user reported. */
  user_reports: count.nullish(),
  /** Emails with an unanswered restore request. */
  restore_requests: count.nullish(),
  series: z
    .array(
      z.looseObject({
        time: instant,
        quarantined: count.nullish(),
        user_reports: count.nullish(),
        restore_requests: count.nullish(),
      }),
    )
    .nullish(),
  /** The same figures for the preceding window, for the apps counted now. */
  previous: z
    .looseObject({
      found: count,
      found_no_click: count.nullish(),
      suspicious: count,
      quarantined: count.nullish(),
      user_reports: count.nullish(),
      restore_requests: count.nullish(),
    })
    .nullish(),
});
export type Statistics = z.infer<typeof statistics>;

/** The caller as the service knows them (section 6), and their permissions, or null if the service does not say. */
export const callerRole = z.looseObject({
  role: z.looseObject({ role_id: z.string(), role_name: z.string(), label: z.string().nullish() }).nullish(),
  permissions: z.array(z.string()).nullish(),
});

/** An action scheduled for a future date. */
export const pendingAction = z.looseObject({
  action: z.string(),
  time: instant,
  by: z.string().nullish(),
  reason: z.string().nullish(),
});
export type PendingAction = z.infer<typeof pendingAction>;

const mailbox = z.looseObject({ name: z.string().nullish(), email: z.string() });
export type Mailbox = z.infer<typeof mailbox>;

/** A mail that contains another, or is contained in it. */
const linkedEmail = z.looseObject({
  entity_id: z.string(),
  subject: z.string(),
  from: z.string().nullable(),
  /** The position of the attached mail in the other, `1.2`; in an archive there, `2/reports.zip/one.eml`. */
  part: z.string(),
});

/** Where a finding can be seen: header, body, link, attachment or mail, its name, and the text to look for there. */
export const findingPlace = z.looseObject({ kind: word, name: z.string(), text: z.string() });

/** What a rule of the analyst found in one evidence. */
export const ruleState = z.looseObject({
  id: z.string(),
  /** pending: not all mail was checked by it yet. failed: it cannot be applied, for the reason. */
  state: z.enum(['pending', 'applied', 'failed']),
  reason: z.string().nullable(),
  /** Emails with a hit, and emails with one that is marked as a false positive. */
  hits: count,
  false_positives: count,
  /** When it was last applied, if ever. */
  applied: instant.nullable(),
});
export type RuleState = z.infer<typeof ruleState>;

/** What a check found in a mail of evidence. */
const emailFinding = z.looseObject({
  /** The id of its check, `links.text-differs`. */
  check: z.string(),
  /** The kind of check: provider, sender, authentication, links, attachments, content, rules. */
  tool: word,
  sentence: z.string(),
  /** Against the mail; below zero: for it. */
  weight: z.number(),
  place: findingPlace,
  /** The analyst marked it as a false positive: it is not part of the score. */
  false_positive: z.boolean().optional(),
});
export type EmailFinding = z.infer<typeof emailFinding>;

/** Where a mail of evidence comes from, and what was found while reading it. */
const emailEvidence = z.looseObject({
  sha256: z.string(),
  /** Null if read by a version that did not record it. */
  imported: instant.nullable(),
  importer: z.string().nullable(),
  /** The files that hold its bytes; none when it is only attached to others. At most 100, as of the lists below. */
  places: z.array(
    z.looseObject({
      file: z.string(),
      offset: z.number(),
      length: z.number(),
      /** Lines that begin with "From " are quoted there. */
      quoted: z.boolean(),
      /** gone, unreachable, or null if it was there at the last reading. */
      absent: word.nullable(),
    }),
  ),
  places_total: count,
  attached_to: z.array(linkedEmail),
  attached_to_total: count,
  attached: z.array(linkedEmail),
  attached_total: count,
  problems: z.array(z.string()),
  active: z.looseObject({ remote: count, forms: count, scripts: count, handlers: count }),
  auth_trusted: z.boolean(),
  /** What the checks found, worst first; their weights add up to the score. */
  findings: z.array(emailFinding),
  score: z.number().nullable(),
  /** What the checks could not look at, as sentences. */
  unchecked: z.array(z.string()),
});
export type EmailEvidence = z.infer<typeof emailEvidence>;

/** Specification section 3, Email profile. */
export const emailProfile = z.looseObject({
  entity_id: z.string(),
  /** The id that was asked for, if this email has another: that of a delivered copy. */
  requested_id: z.string().nullish(),
  entity_type: z.string().nullish(),
  saas: z.string().nullish(),
  from: mailbox.nullable(),
  sender: mailbox.nullish(),
  reply_to: z.array(mailbox).nullish(),
  return_path: z.string().nullish(),
  /** Null if not recorded, which differs from none; as for cc and bcc. */
  to: z.array(mailbox).nullable(),
  cc: z.array(mailbox).nullable(),
  bcc: z.array(mailbox).nullable(),
  /** Recipients that only lines of servers name: Delivered-To, X-Original-To, Envelope-To, `for` in Received. */
  delivered_to: z.array(mailbox).nullish(),
  subject: z.string(),
  message_id: z.string().nullish(),
  received: instant.nullish(),
  sent: instant.nullish(),
  folder: z.string().nullish(),
  size: count.nullish(),
  direction: z.string().nullish(),
  client_ip: z.string().nullish(),
  language: z.string().nullish(),
  quarantine_info: z
    .looseObject({
      quarantined: z.boolean(),
      time: instant.nullish(),
      by: z.string().nullish(),
      /** A label of section 6: provider_analyst, admin, microsoft, end_user. */
      by_label: word.nullish(),
      reason: z.string().nullish(),
    })
    .nullish(),
  restore_info: z
    .looseObject({
      requested: z.boolean(),
      restored: z.boolean(),
      /** When it was requested, or restored without a request. */
      time: instant.nullish(),
      restored_time: instant.nullish(),
      restored_by: z.string().nullish(),
      by: z.string().nullish(),
      /** A label of section 6: provider_analyst, admin, microsoft, end_user. */
      by_label: word.nullish(),
      reason: z.string().nullish(),
    })
    .nullish(),
  decline_info: z
    .looseObject({
      declined: z.boolean(),
      time: instant.nullish(),
      by: z.string().nullish(),
      /** A label of section 6: provider_analyst, admin, microsoft, end_user. */
      by_label: word.nullish(),
      reason: z.string().nullish(),
    })
    .nullish(),
  report_phishing_info: z
    .looseObject({
      reported: z.boolean(),
      count: count.nullish(),
      time: instant.nullish(),
      by: z.array(z.string()).nullish(),
      comment: z.string().nullish(),
    })
    .nullish(),
  encryption_status: z.string().nullish(),
  workflow: z.string().nullish(),
  link_replacement: word.nullish(),
  links: z
    .array(
      z.looseObject({
        url: z.string(),
        host: z.string().nullish(),
        text: z.string().nullish(),
        status: word.nullish(),
        mismatched: z.boolean().nullish(),
        /** html, text (written out; only mail programs make it a link), header, document, qr. */
        source: word.nullish(),
        /** The attachment or image that it is in. */
        within: z.string().nullish(),
        /** The address in the mail, if a gateway rewrote the link; `url` is then the original. */
        rewritten_url: z.string().nullish(),
      }),
    )
    .nullish(),
  /** The service's rolled-up verdict of the whole email; the console derives its own from scan_details. */
  verdict: word.nullish(),
  verdict_code: word.nullish(),
  verdict_reason: z.string().nullish(),
  provenance: emailEvidence.optional(),
  campaign: z.object({ id: z.string(), name: z.string(), emails: count }).optional(),
  is_deleted: z.boolean().nullish(),
  /** Set by PUT entity_identifier. */
  entity_identifier: z.string().nullish(),
  pending_actions: z.array(pendingAction).nullish(),
});
export type EmailProfile = z.infer<typeof emailProfile>;

/** All recipients, however the mail names them. */
export const allRecipients = (
  profile: Partial<Pick<EmailProfile, (typeof RECIPIENT_FIELDS)[RecipientKind]>>,
): Mailbox[] => RECIPIENT_KINDS.flatMap((kind) => profile[RECIPIENT_FIELDS[kind]] ?? []);

const campaignFields = {
  id: z.string(),
  name: z.string(),
  emails: count,
  /** Those found or suspicious. */
  flagged: count,
  /** That of the worst email, or null if none has been checked. */
  score: z.number().nullish(),
  senders: count.nullish(),
  recipients: count.nullish(),
  first: instant.nullish(),
  last: instant.nullish(),
  /** The strongest reason of its worst email. */
  reason: z.string().nullish(),
};
/** Emails of evidence that share a text, links, attachments or the way they are made. */
export const campaign = z.looseObject(campaignFields);
export type Campaign = z.infer<typeof campaign>;

const countedValue = z.looseObject({
  value: z.string(),
  /** The name shown with it. */
  label: z.string().nullish(),
  emails: count,
});
export type CountedValue = z.infer<typeof countedValue>;
/** The most frequent values; total_rows counts all. */
const countedValues = z.looseObject({ rows: z.array(countedValue), total_rows: count });

/** Emails by time, in calendar steps of UTC. */
const campaignTimeline = z.looseObject({
  /** Milliseconds, or calendar months. */
  step: z.object({ ms: count.optional(), months: count.optional() }),
  /** That of the last step. */
  end: instant,
  rows: z.array(z.looseObject({ at: instant, emails: count, flagged: count })),
});
export type CampaignTimeline = z.infer<typeof campaignTimeline>;

export const campaignProfile = z.looseObject({
  ...campaignFields,
  /** Emails without a time, which the timeline lacks. */
  undated: count,
  shared: z.array(z.looseObject({ kind: word, emails: count })),
  /** The most frequent reasons against its emails. */
  reasons: z.array(countedValue),
  /** Null if none of its emails has a time. */
  timeline: campaignTimeline.nullish(),
  subjects: countedValues,
  senders: countedValues,
  recipients: countedValues,
  hosts: countedValues,
  /** By SHA-256; the label is a file name. */
  attachments: countedValues,
});
export type CampaignProfile = z.infer<typeof campaignProfile>;

/** Specification section 3, File profile. */
export const fileProfile = z.looseObject({
  entity_id: z.string(),
  entity_type: z.string().nullish(),
  saas: z.string().nullish(),
  title: z.string(),
  size: count.nullish(),
  path: z.string().nullish(),
  mime_type: z.string().nullish(),
  md5: z.string().nullish(),
  sha1: z.string().nullish(),
  sha256: z.string().nullish(),
  is_quarantined: z.boolean().nullish(),
  is_vault: z.boolean().nullish(),
  is_deleted: z.boolean().nullish(),
  is_shared_externally: z.boolean().nullish(),
  is_shared_publicly: z.boolean().nullish(),
  owner: z.string().nullish(),
  created: instant.nullish(),
  modified: instant.nullish(),
  quarantine_info: emailProfile.shape.quarantine_info,
  verdict: word.nullish(),
  verdict_code: word.nullish(),
  entity_identifier: z.string().nullish(),
  pending_actions: z.array(pendingAction).nullish(),
});
export type FileProfile = z.infer<typeof fileProfile>;

/** Rehearsals against phishing and courses, of one person. */
const securityTraining = z.looseObject({
  assigned: count.nullish(),
  completed: count.nullish(),
  phishing_test_failed: z.boolean().nullish(),
});

/** entity/user. */
export const userProfile = z.looseObject({
  entity_id: z.string(),
  entity_type: z.string().nullish(),
  saas: z.string().nullish(),
  name: z.string().nullish(),
  email: z.string().nullish(),
  department: z.string().nullish(),
  title: z.string().nullish(),
  manager: z.string().nullish(),
  country: z.string().nullish(),
  state: word.nullish(),
  /** Custom roles of the tenant (section 6). */
  roles: z
    .array(z.looseObject({ role_id: z.union([z.string(), z.number()]), role_name: z.string() }))
    .nullish(),
  is_admin: z.boolean().nullish(),
  mfa: z.boolean().nullish(),
  created_at: instant.nullish(),
  last_login_at: instant.nullish(),
  last_ip: z.string().nullish(),
  /** In 30 days. */
  failed_logins: count.nullish(),
  /** Of 100. */
  risk: z.number().nullish(),
  mailbox_size: count.nullish(),
  security_training: securityTraining.nullish(),
  entity_identifier: z.string().nullish(),
});
export type UserProfile = z.infer<typeof userProfile>;

/** entity/group. */
export const groupProfile = z.looseObject({
  entity_id: z.string(),
  entity_type: z.string().nullish(),
  saas: z.string().nullish(),
  name: z.string().nullish(),
  email: z.string().nullish(),
  description: z.string().nullish(),
  kind: word.nullish(),
  members: count.nullish(),
  external_members: count.nullish(),
  owner: z.string().nullish(),
  is_public: z.boolean().nullish(),
  created_at: instant.nullish(),
  last_used_at: instant.nullish(),
  entity_identifier: z.string().nullish(),
});
export type GroupProfile = z.infer<typeof groupProfile>;

/** entity/message: a chat message; its text is entity/message_body. */
export const messageProfile = z.looseObject({
  entity_id: z.string(),
  entity_type: z.string().nullish(),
  saas: z.string().nullish(),
  sent_at: instant.nullish(),
  sender: z.string().nullish(),
  channel: z.string().nullish(),
  text: z.string().nullish(),
  state: word.nullish(),
  links_count: count.nullish(),
  host: z.string().nullish(),
  replies: count.nullish(),
  is_external: z.union([z.boolean(), z.number()]).nullish(),
  verdict: word.nullish(),
  verdict_code: word.nullish(),
  verdict_rank: z.number().nullish(),
  entity_identifier: z.string().nullish(),
});
export type MessageProfile = z.infer<typeof messageProfile>;

/** Specification section 3, Permission. */
export const permission = z.looseObject({
  username: z.string().nullish(),
  userId: z.string(),
  email: z.string().nullish(),
  roles: z.array(z.string()),
  /** null, here and below: the service does not say. */
  can_view: z.boolean().nullable(),
  can_download: z.boolean().nullable(),
  can_edit: z.boolean().nullable(),
  can_delete: z.boolean().nullable(),
  can_preview: z.boolean().nullable(),
  can_upload: z.boolean().nullable(),
  can_invite: z.boolean().nullable(),
  can_share: z.boolean().nullable(),
});
export type Permission = z.infer<typeof permission>;

/** sql_queries/{saas}/email_recipients: one delivered copy. */
export const recipient = z.looseObject({
  email: z.string(),
  name: z.string().nullish(),
  kind: word,
  entity_id: z.string().nullish(),
  folder: z.string().nullish(),
  is_read: z.boolean().nullish(),
  clicks: count.nullish(),
  department: z.string().nullish(),
});
export type Recipient = z.infer<typeof recipient>;

/** A file in an attached archive. */
const archiveMember = z.looseObject({
  name: z.string(),
  /** In the archive, through nested ones. */
  path: z.string(),
  content_type: z.string().nullish(),
  encryption: z.string().nullish(),
  size: count.nullish(),
});
export type ArchiveMember = z.infer<typeof archiveMember>;

/** sql_queries/{saas}/email_attachments. */
export const attachment = z.looseObject({
  entity_id: z.string(),
  name: z.string(),
  mime_type: z.string().nullish(),
  /** What it is by its own bytes. */
  content_type: z.string().nullish(),
  /** What protects it: `password`, `smime`, `pgp`, or null if nothing says that it is encrypted. */
  encryption: z.string().nullish(),
  size: count.nullish(),
  md5: z.string().nullish(),
  sha1: z.string().nullish(),
  sha256: z.string().nullish(),
  is_inline: z.boolean().nullish(),
  verdict_code: word.nullish(),
  matches: count.nullish(),
  /** How many emails carry the same content. */
  seen_in: count.nullish(),
  /** The files in it, if it is an archive: as its directory lists them, not unpacked. */
  members: z.array(archiveMember).nullish(),
});
export type Attachment = z.infer<typeof attachment>;

/** sql_queries/{saas}/email_conversation: one email of the same thread. */
export const conversationEmail = z.looseObject({
  entity_id: z.string(),
  subject: z.string(),
  from: z.string().nullish(),
  to: z.array(z.string()).nullish(),
  received: instant.nullish(),
  direction: z.string().nullish(),
  verdict: word.nullish(),
  verdict_code: word.nullish(),
});
export type ConversationEmail = z.infer<typeof conversationEmail>;

/** sql_queries/common/scan_details: one tool's result for one entity. */
export const scanDetail = z.looseObject({
  tool: z.string(),
  label: z.string().nullish(),
  /** False if the tool does not scan this kind of entity. */
  applicable: z.boolean(),
  /** Null if applicable, but the tool has no result for this entity. */
  status: word.nullish(),
  verdict_code: word.nullish(),
  matches: count.nullish(),
  clicks: count.nullish(),
  /** The tool was suspicious without a match. */
  suspicious: z.boolean().nullish(),
  reasons: z.array(z.looseObject({ category: z.string(), text: z.string() })).nullish(),
  summary: z.string().nullish(),
  scanned_at: instant.nullish(),
  duration_ms: z.number().nullish(),
  error: z.string().nullish(),
  re_evaluated: z.boolean().nullish(),
  entity_id: z.string().nullish(),
  /** A rescan is running; the rest of the row is the previous result. */
  rescan: z.looseObject({ state: word, until: instant.nullish() }).nullish(),
});
export type ScanDetail = z.infer<typeof scanDetail>;

/** sql_queries/{saas}/file_events and the events of an email. */
export const entityEvent = z.looseObject({
  id: z.string().nullish(),
  time: instant,
  type: word,
  actor: z.string().nullish(),
  actor_label: word.nullish(),
  summary: z.string(),
  detail: z.string().nullish(),
  re_evaluated: z.boolean().nullish(),
});
export type EntityEvent = z.infer<typeof entityEvent>;

/** sql_queries/common/clicktime_protection_scan_clicks. */
export const click = z.looseObject({
  click_time: instant,
  user: z.string(),
  url: z.string(),
  ip: z.string().nullish(),
  verdict: word.nullish(),
  blocked: z.boolean().nullish(),
});
export type Click = z.infer<typeof click>;

/** Specification section 3, Exception. */
export const exception = z.looseObject({
  id: z.string().nullish(),
  type: word,
  string: z.string(),
  payload: z.json().nullish(),
  comment: z.string().nullish(),
  is_exclusive: z.boolean().nullish(),
  /** The tool whose list contains it, and the list: allow or block. */
  sec_type: z.string().nullish(),
  list: word.nullish(),
  created_by: z.string().nullish(),
  created_at: instant.nullish(),
  /** Emails of the last six months that it matches, or null if unknown. */
  hits: count.nullish(),
});
export type Exception = z.infer<typeof exception>;

/** sp_findings: one finding of the security posture. */
export const finding = z.looseObject({
  id: z.string(),
  title: z.string(),
  detail: z.string().nullish(),
  severity: z.union([z.number(), z.string()]).nullish(),
  app: z.string().nullish(),
  affected: z.string().nullish(),
  time: instant.nullish(),
});
export type Finding = z.infer<typeof finding>;
