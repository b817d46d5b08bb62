/** Emails: profile, copies, attachments, conversation, headers, body, and results of the tools. */
import { EVERY_SAAS } from '#shared/api/catalogue/queries.ts';
import { SIMILAR_MODES, type SimilarMode } from '#shared/api/profile-pages.ts';
import type { ConversationEmail, EmailProfile } from '#shared/model/entities.ts';
import type { Handlers } from '../http/context.ts';
import { ServiceError } from '../http/errors.ts';
import { isSimilarMode, similarCount } from '../query/similar.ts';
import { profileOf } from '../store/email-profile.ts';
import { type AttachmentRow, type EmailRow, senderOf } from '../store/emails.ts';
import { iso } from '../store/instants.ts';
import type { Store } from '../store/store.ts';
import { inApp } from './in-app.ts';

const CONVERSATION_MAX = 500;
/** Maximum size of one range of a message. */
const MESSAGE_BYTES = 1024 * 1024;
const SPLIT_FROM = 9;
const SPLIT_SIZE = 8;

const emailOf = async (store: Store, entityId: string, saas: string = EVERY_SAAS): Promise<EmailRow> =>
  inApp(await store.mails.find(entityId), saas, 'email');

const rowsOf = <T>(rows: T[]) => ({ rows, total_rows: rows.length });

async function conversationRow(store: Store, row: EmailRow): Promise<ConversationEmail> {
  const recipients = await store.mails.recipients(row.id);
  return {
    entity_id: row.entity_id,
    subject: row.subject,
    from: senderOf(row),
    to: recipients.slice(0, 20).map(({ email, shown }) => shown ?? email),
    received: iso(row.received_at),
    direction: row.direction,
    verdict: row.verdict,
    verdict_code: row.verdict_code,
  };
}

const memberFields = ({ name, path, content_type, encryption, size }: AttachmentRow) => ({
  name,
  path: path ?? name,
  content_type,
  encryption,
  size,
});

export const emailHandlers = {
  'email.profile': async ({ params, query }, { store }): Promise<EmailProfile> =>
    profileOf(store, await emailOf(store, query.entity_id, params.saas), query.entity_id),
  'email.recipients': async ({ params, query }, { store }) => {
    const row = await emailOf(store, query.entity_id, params.saas);
    const recipients = await store.mails.recipients(row.id);
    return rowsOf(
      recipients.map((recipient) => ({
        email: recipient.shown ?? recipient.email,
        name: recipient.name,
        kind: recipient.kind,
        entity_id: `${row.entity_id}.${recipient.position}`,
        folder: recipient.state,
        is_read: recipient.is_read === null ? null : recipient.is_read === 1,
        clicks: recipient.clicks,
        department: recipient.department,
      })),
    );
  },
  'email.attachments': async ({ params, query }, { store }) => {
    const row = await emailOf(store, query.entity_id, params.saas);
    const attachments = await store.mails.attachments(row.id);
    const members = await store.mails.members(row.id);
    const sightings = await store.mails.sightings(attachments.flatMap(({ sha256 }) => sha256 ?? []));
    return rowsOf(
      attachments.map((attachment) => ({
        entity_id: `${row.entity_id}-a${attachment.position}`,
        name: attachment.name,
        mime_type: attachment.mime_type,
        content_type: attachment.content_type,
        encryption: attachment.encryption,
        size: attachment.size,
        md5: attachment.md5,
        sha1: attachment.sha1,
        sha256: attachment.sha256,
        is_inline: attachment.is_inline === 1,
        verdict_code: attachment.verdict_code,
        matches: attachment.matches,
        seen_in: attachment.sha256 === null ? null : (sightings.get(attachment.sha256) ?? 0),
        members: members.filter(({ container }) => container === attachment.position).map(memberFields),
      })),
    );
  },
  'email.conversation': async ({ params, query }, { store }) => {
    const row = await emailOf(store, query.entity_id, params.saas);
    const rows =
      row.thread_id === null ? [row] : await store.mails.conversation(row.thread_id, CONVERSATION_MAX);
    return rowsOf(await Promise.all(rows.map((email) => conversationRow(store, email))));
  },
  'email.splits': async ({ params, query }, { store }) => {
    const row = await emailOf(store, query.entity_id, params.saas);
    const copies = await store.mails.recipients(row.id);
    // A mail file does not record whether it was split.
    if (row.file_id !== null) return { ...rowsOf([]), recorded: false };
    if (copies.length < SPLIT_FROM) return rowsOf([]);
    const base = await conversationRow(store, row);
    const parts: ConversationEmail[] = [];
    for (let position = 0; position < copies.length; position += SPLIT_SIZE) {
      const to = copies.slice(position, position + SPLIT_SIZE).map(({ email }) => email);
      parts.push({ ...base, entity_id: `${row.entity_id}.${position}`, to });
    }
    return rowsOf(parts);
  },
  'email.headers': async ({ query }, { store }) => ({
    raw: await store.source.headers(store, await emailOf(store, query.entity_id)),
  }),
  'email.body': async ({ query }, { store }) => {
    const row = await emailOf(store, query.entity_id);
    const { message_from: from, message_bytes: most = MESSAGE_BYTES } = query;
    if (from === undefined) return { ...(await store.source.body(store, row)) };
    const file = store.source.message(store, row);
    if (file === null) throw new ServiceError(404, 'The bytes of this message are not kept', 'message_from');
    const bytes = await file.bytes().catch((error: unknown) => {
      throw new ServiceError(410, error instanceof Error ? error.message : 'The message cannot be read');
    });
    const piece = Buffer.from(bytes.subarray(from, from + most));
    return {
      message: { bytes: bytes.length, from, base64: piece.toString('base64'), sha256: file.sha256 },
    };
  },
  'scan.clicks': async ({ query }, { store }) => {
    const row = await emailOf(store, query.entity_id);
    const clicks = await store.mails.clicks(row.id);
    // Mail files do not record clicks, which differs from no clicks.
    const counted = row.clicks === null ? { counted: false } : {};
    return {
      ...counted,
      ...rowsOf(
        clicks.map(({ clicked_at, user, url, ip, verdict, blocked }) => ({
          click_time: new Date(clicked_at).toISOString(),
          user,
          url,
          ip,
          verdict,
          blocked: blocked === 1,
        })),
      ),
    };
  },
  'email.similar-count': async ({ params, query }, { store, now }) => {
    if (params.type !== 'email') throw new ServiceError(400, 'Only emails are compared', 'type');
    const row = await emailOf(store, params.id);
    return { count: await similarCount(store, row, similarMode(query.mode), now()) };
  },
} satisfies Handlers;

function similarMode(mode: string): SimilarMode {
  if (!isSimilarMode(mode))
    throw new ServiceError(400, `The mode is one of ${SIMILAR_MODES.join(', ')}`, 'mode');
  return mode;
}
