/**
 * The checks of evidence on a mail of a tenant: on its headers, body and list of attachments, as the service gives them.
 * What it does not give is named, never taken for harmless.
 */
import { decodeBytes } from '../mail/charsets.ts';
import { mailOfHeaders } from '../mail/header-mail.ts';
import type { MailHeader } from '../mail/headers.ts';
import { readHtml, shownTextOf } from '../mail/html.ts';
import { collectLinks } from '../mail/mail-links.ts';
import type { Attachment } from '../model/entities.ts';
import { type Assessment, assess, CUT_TEXT } from './assess.ts';
import type { CheckedAttachment } from './prepared-mail.ts';

/** Null: the service did not give it. */
export interface TenantMail {
  headers: readonly MailHeader[] | null;
  body: { html?: string | null | undefined; text?: string | null | undefined } | null;
  attachments: readonly Attachment[] | null;
  /** Authserv-ids that the analyst trusts. */
  believed?: readonly string[] | undefined;
}

/** Characters of a body that are read, as this runs where the window is drawn: many times what a person reads. */
const MAX_BODY = 256 * 1024;
const MAX_LINKS = 500;

const checked = (attachment: Attachment): CheckedAttachment => ({
  filename: attachment.name,
  declaredName: attachment.name,
  mimeType: attachment.mime_type ?? '',
  contentType: attachment.content_type ?? null,
  encryption: attachment.encryption ?? null,
  inline: attachment.is_inline ?? false,
  size: attachment.size ?? null,
  sha256: attachment.sha256?.toLowerCase() ?? null,
  members: (attachment.members ?? []).map(({ name, path, content_type: contentType, encryption }) => ({
    name,
    path,
    contentType: contentType ?? null,
    encrypted: typeof encryption === 'string',
  })),
  traits: [],
});

function unsearchedOf({ headers, body, attachments }: TenantMail): string[] {
  const length = Math.max(body?.html?.length ?? 0, body?.text?.length ?? 0);
  return [
    ...(headers === null ? ['The headers could not be loaded and were not checked'] : []),
    ...(body === null ? ['The body could not be loaded and was not checked'] : []),
    ...(length > MAX_BODY ? [CUT_TEXT] : []),
    ...(attachments === null ? ['The attachments could not be loaded and were not checked'] : []),
    ...(attachments?.some(({ is_inline: isInline }) => isInline !== true)
      ? ['Attachments were checked by their names and types only']
      : []),
  ];
}

export function assessTenantMail(mail: TenantMail): Assessment {
  const headers = [...(mail.headers ?? [])];
  const fields = mailOfHeaders(headers, {
    decode: decodeBytes,
    ...(mail.believed === undefined ? {} : { believed: mail.believed }),
    problems: new Set(),
  });
  const text = (mail.body?.text ?? '').slice(0, MAX_BODY);
  const html = (mail.body?.html ?? '').slice(0, MAX_BODY);
  const page = readHtml(html, MAX_LINKS);
  const attachments = (mail.attachments ?? []).map(checked);
  const shownText = shownTextOf([text, page.shown]);
  return assess({
    ...fields,
    headers,
    signedBodies: [],
    text,
    html,
    shownText,
    links: collectLinks(
      {
        html: page.links.map(({ url, text: shown }) => ({ url, text: shown, source: 'html', within: null })),
        text: `${text}\n${page.text}`,
        attached: [],
        headers,
      },
      { max: MAX_LINKS, problems: new Set() },
    ),
    active: { remote: page.remote, forms: page.forms, scripts: page.scripts, handlers: page.handlers },
    attachments,
    isEncrypted:
      shownText.trim() === '' &&
      attachments.some(({ encryption }) => encryption === 'smime' || encryption === 'pgp'),
    unsearched: unsearchedOf(mail),
  });
}
