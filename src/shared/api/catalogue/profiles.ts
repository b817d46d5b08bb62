/** Specification section 7, Profile data, and Email and entity. */
import { z } from 'zod';
import {
  app,
  attachment,
  callerRole,
  campaign,
  campaignProfile,
  click,
  conversationEmail,
  emailProfile,
  entityEvent,
  fileProfile,
  finding,
  pendingAction,
  permission,
  recipient,
  scanDetail,
  statistics,
} from '../../model/entities.ts';
import { done, entityQuery, read, rowsOf, saasParams, write } from './declare.ts';

const typeId = z.object({ type: z.string(), id: z.string() });
const paged = entityQuery.extend({ page: z.number().int().optional(), size: z.number().int().optional() });

export const profileData = {
  'email.profile': read({
    path: '/sql_queries/:saas/entity/email',
    params: saasParams,
    query: entityQuery,
    response: emailProfile,
    provides: ['email'],
    namedBy: 'entity_id',
    summary: 'The profile of one email',
  }),
  'file.profile': read({
    path: '/sql_queries/:saas/entity/file',
    params: saasParams,
    query: entityQuery,
    response: fileProfile,
    provides: ['file'],
    namedBy: 'entity_id',
    summary: 'The profile of one file',
  }),
  'entity.permissions': read({
    path: '/sql_queries/:saas/:type_permissions',
    params: saasParams.extend({ type: z.string() }),
    query: paged,
    response: rowsOf(permission),
    provides: ['file'],
    paging: { page: 20 },
    summary: 'Permissions of users on an entity, 20 a page',
  }),
  'email.recipients': read({
    path: '/sql_queries/:saas/email_recipients',
    params: saasParams,
    query: entityQuery,
    response: rowsOf(recipient),
    provides: ['email'],
    summary: 'The delivered copies of an email',
  }),
  'email.attachments': read({
    path: '/sql_queries/:saas/email_attachments',
    params: saasParams,
    query: entityQuery,
    response: rowsOf(attachment),
    provides: ['email'],
    summary: 'The attachments of an email with their hashes',
  }),
  'email.conversation': read({
    path: '/sql_queries/:saas/email_conversation',
    params: saasParams,
    query: entityQuery,
    response: rowsOf(conversationEmail),
    provides: ['email'],
    summary: 'The emails of the same thread',
  }),
  'email.splits': read({
    path: '/sql_queries/:saas/splitted_emails',
    params: saasParams,
    query: entityQuery,
    /** recorded false: having no rows does not mean that it was not split. */
    response: rowsOf(conversationEmail).extend({ recorded: z.boolean().nullish() }),
    provides: ['email'],
    summary: 'The copies that the service split an email into',
  }),
  'file.events': read({
    path: '/sql_queries/:saas/file_events',
    params: saasParams,
    query: paged,
    response: rowsOf(entityEvent),
    provides: ['file', 'email', 'scan'],
    paging: { page: 100 },
    summary: 'Events of a file (or an email), newest first, 100 a page from 0; re-evaluated events flagged',
  }),
  'scan.details': read({
    path: '/sql_queries/common/scan_details',
    query: entityQuery,
    response: rowsOf(scanDetail),
    provides: ['scan'],
    summary: 'The result of every security tool for an entity',
  }),
  'scan.debug-links': read({
    path: '/sql_queries/common/ap_:product_debug_links',
    params: z.object({ product: z.string() }),
    query: entityQuery,
    response: rowsOf(
      z.looseObject({
        url: z.string(),
        host: z.string().nullish(),
        /** href, redirect, image, form, script. */
        kind: z.string().nullish(),
        depth: z.number().int().nullish(),
        status: z.number().int().nullish(),
        verdict: z.string().nullish(),
        score: z.number().nullish(),
      }),
    ),
    provides: ['scan'],
    summary: 'The links that the anti-phishing tool examined, up to 100 000',
  }),
  'scan.clicks': read({
    path: '/sql_queries/common/clicktime_protection_scan_clicks',
    query: entityQuery,
    /** counted false: clicks on this email are not counted. */
    response: rowsOf(click).extend({ counted: z.boolean().nullish() }),
    provides: ['scan'],
    summary: 'Who clicked which replaced link, and when',
  }),
  'scan.exceptions-status': read({
    path: '/sql_queries/common/sectool_exceptions_status',
    query: entityQuery,
    response: rowsOf(
      z.looseObject({
        sec_type: z.string(),
        /** none, allowed, blocked. */
        status: z.string(),
        label: z.string().nullish(),
        exception_id: z.string().nullish(),
        detail: z.string().nullish(),
      }),
    ),
    provides: ['exceptions'],
    summary: 'The exceptions that match an entity, per tool',
  }),
};

/** Only of evidence. */
export const campaigns = {
  'campaigns.list': read({
    path: '/campaigns',
    query: z.object({ size: z.number().int().optional() }),
    /** deserving: how many of all deserve a look; they come first. */
    response: rowsOf(campaign).extend({ deserving: z.number().int().nonnegative().nullish() }),
    provides: ['results'],
    summary: 'Emails that belong together, by the scores of those that deserve a look; at most 100',
  }),
  'campaigns.get': read({
    path: '/campaigns/:id',
    params: z.object({ id: z.string() }),
    response: campaignProfile,
    provides: ['results'],
    namedBy: 'id',
    summary: 'One campaign: when, from whom, to whom, and what its emails share',
  }),
};

export const findings = {
  'findings.widgets': read({
    path: '/sp_findings/get_sp_widget_list',
    response: rowsOf(
      z.looseObject({
        id: z.string(),
        label: z.string(),
        count: z.number().int().nullish(),
        severity: z.union([z.number(), z.string()]).nullish(),
      }),
    ),
    provides: ['findings'],
    summary: 'The findings widgets',
  }),
  'findings.list': read({
    path: '/sp_findings/get_sp_findings',
    query: z.object({ widget: z.string().optional(), entity_id: z.string().optional() }),
    response: rowsOf(finding),
    provides: ['findings'],
    summary: 'The findings of a widget or an entity',
  }),
  'findings.links': read({
    path: '/sp_findings/get_sp_link_bulk',
    query: z.object({ ids: z.string() }),
    response: rowsOf(z.looseObject({ id: z.string(), url: z.string() })),
    provides: ['findings'],
    summary: 'Links for several findings, ids separated by commas',
  }),
};

export const entities = {
  'email.headers': read({
    path: '/mta/email_headers',
    query: entityQuery,
    response: z.looseObject({ raw: z.string() }),
    provides: ['email'],
    summary: 'The headers as received, raw',
  }),
  'email.body': read({
    path: '/mta/email_body',
    query: entityQuery.extend({
      /** Requests a range of the whole message instead of the body: its first byte and its maximum length. */
      message_from: z.number().int().nonnegative().optional(),
      message_bytes: z.number().int().positive().max(1_048_576).optional(),
    }),
    response: z.looseObject({
      html: z.string().nullish(),
      text: z.string().nullish(),
      /** Inline parts by Content-ID: a data URL of an image type. */
      inline: z.record(z.string(), z.string()).nullish(),
      truncated: z.boolean().nullish(),
      /** A range of the original message; absent when the service keeps none. */
      message: z
        .object({
          /** Length of the whole message. */
          bytes: z.number().int(),
          from: z.number().int(),
          base64: z.string(),
          sha256: z.string().nullable(),
        })
        .nullish(),
    }),
    provides: ['email'],
    summary:
      'The body: HTML as sent, plain text, inline images; for evidence also the whole message, in pieces',
  }),
  'entity.get': read({
    path: '/entity/:type/:id',
    params: typeId,
    response: z.looseObject({ entity_id: z.string() }),
    provides: ['email', 'file'],
    namedBy: 'entity_id',
    summary: 'One entity of any type',
  }),
  'entity.props': read({
    path: '/entity/props',
    query: entityQuery,
    response: z.looseObject({
      restore_state: z.string().nullish(),
      restore_info: emailProfile.shape.restore_info,
      decline_info: emailProfile.shape.decline_info,
      quarantine_info: emailProfile.shape.quarantine_info,
      pending_actions: z.array(pendingAction).nullish(),
      ...callerRole.shape,
    }),
    provides: ['email', 'file'],
    onError: 'plain-profile',
    summary: 'Restore fields of an email; if it fails, the plain profile is shown',
  }),
  'entity.message-body': read({
    path: '/entity/message_body',
    query: entityQuery,
    response: z.looseObject({ text: z.string().nullish(), html: z.string().nullish() }),
    provides: ['email'],
    summary: 'The body of a chat message',
  }),
  'entity.quarantine-restorable': read({
    path: '/entity/is_quarantine_restorable/:id',
    params: z.object({ id: z.string() }),
    response: z.looseObject({ restorable: z.boolean(), reason: z.string().nullish() }),
    provides: ['email', 'file'],
    summary: 'Whether a quarantined entity can be restored',
  }),
  'entity.signed-link': read({
    path: ':hash:token:id',
    params: z.object({ hash: z.string(), token: z.string(), id: z.string() }),
    answer: 'blob',
    response: z.any(),
    provides: [],
    cache: { mode: 'none' },
    secretPath: true,
    summary:
      'An opaque signed link, which answers bytes: the three parts concatenated; hash contains its own slashes',
  }),
  'entity.identify': write({
    method: 'PUT',
    path: '/entity_identifier',
    body: z.looseObject({ entity_id: z.string(), identifier: z.string().optional() }),
    response: done,
    invalidates: ['email', 'file'],
    retry: 'idempotent',
    summary: 'Sets the identifier of an entity',
  }),
  'email.similar-count': read({
    path: '/similar_email_count/:type/:id',
    params: typeId,
    query: z.object({ mode: z.string() }),
    response: z.looseObject({ count: z.number().int().nonnegative() }),
    provides: ['email'],
    summary: 'The number of similar emails, by mode, itself included',
  }),
  'email.report': write({
    method: 'POST',
    path: '/suspicious_report',
    body: z.looseObject({
      entity_id: z.string(),
      /** phishing, malware, spam, suspicious, clean. */
      report: z.string().default('suspicious'),
      comment: z.string().nullish(),
    }),
    response: done,
    invalidates: ['results', 'email', 'file'],
    summary: 'Reports a misclassification',
  }),
  'file.matched': read({
    path: '/sec_match_file/:type/:id',
    params: typeId,
    query: z.object({ test_only: z.boolean().optional() }),
    /** Without test_only: the parts of the signed link for the bytes. */
    response: z.looseObject({
      success: z.boolean(),
      url: z.string().nullish(),
      reason: z.string().nullish(),
      hash: z.string().nullish(),
      token: z.string().nullish(),
      id: z.string().nullish(),
      name: z.string().nullish(),
      size: z.number().int().nonnegative().nullish(),
      sha256: z.string().nullish(),
    }),
    provides: [],
    cache: { mode: 'none' },
    onError: 'success-false',
    summary: 'The file that a tool matched; the test_only probe is tried 3 times',
  }),
};

export const apps = {
  'apps.list': read({
    path: '/apps/sec_entities',
    response: rowsOf(app),
    provides: ['apps'],
    summary: 'Security tools and SaaS apps with state, licence and orders',
  }),
  'apps.statistics': read({
    path: '/apps/statistics',
    query: z.object({ window: z.enum(['24h', '7d', '30d']).optional(), tools: z.boolean().optional() }),
    response: statistics,
    provides: ['statistics'],
    summary: 'Counts per app over a window, with series; on request also per security tool',
  }),
};
