import { Archive, Code, Document, Media } from '@blueprintjs/icons';
import { type JSX, useState } from 'react';
import { DownloadDialog } from '#renderer/entity/download-dialog.tsx';
import { listState } from '#renderer/entity/list-state.ts';
import { MoreFields } from '#renderer/entity/more-fields.tsx';
import { copying, panelMenu } from '#renderer/entity/panel-menu.tsx';
import { openNewQueryWith } from '#renderer/state/entity-actions.ts';
import { EntityValue } from '#renderer/ui/entity-value.tsx';
import { FileName } from '#renderer/ui/file-name.tsx';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { shortHash } from '#renderer/ui/truncate.ts';
import { VerdictChip } from '#renderer/ui/verdict-chip.tsx';
import { MAX_FILES_AT_ONCE } from '#shared/bridge/operations.ts';
import {
  type ArchiveMember,
  type Attachment,
  attachment as attachmentFields,
} from '#shared/model/entities.ts';
import { bytes, exact, plural, visibleName, visibleText } from '#shared/model/format.ts';
import { bestHash } from '#shared/model/similar.ts';
import { attachmentVerdict, nameParts, otherType, totalSize } from './email-values.ts';
import { encryptedBy, typeByBytes } from './labels.ts';
import type { Located } from './reasons.ts';
import type { EmailReads } from './use-email.ts';
import { hasMessage } from './whole-message.tsx';

const iconOf = ({ mime_type: type, name }: Attachment) =>
  type?.startsWith('image/') ? (
    <Media size={14} />
  ) : /html|svg|script/i.test(type ?? name) ? (
    <Code size={14} />
  ) : (
    <Document size={14} />
  );

function Name({ name }: { name: string }): JSX.Element {
  const { lead, end, isDouble } = nameParts(name);
  return (
    <FileName
      name={name}
      shown={
        <>
          <span className="em-name-start" style={{ maxWidth: `calc(100% - ${1.5 * end.length}ch)` }}>
            {visibleName(lead)}
          </span>
          {end === '' ? null : (
            <span
              className={isDouble ? 'pp-caution' : undefined}
              title={isDouble ? 'Opens by its last extension' : undefined}
            >
              {visibleName(end)}
            </span>
          )}
        </>
      }
    />
  );
}

function SeenIn({ attachment }: { attachment: Attachment }): JSX.Element | null {
  const hash = bestHash(attachment);
  if (hash === null) return <span className="pp-unknown">No hash</span>;
  const count = attachment.seen_in;
  const text = typeof count === 'number' ? `Seen in ${plural(count, 'email')}` : 'Find by hash';
  return (
    <LinkButton
      title={`New query: emails with this ${hash.name}`}
      onClick={() => void openNewQueryWith({ kind: 'hash', value: hash.value, field: hash.field })}
    >
      {text}
    </LinkButton>
  );
}

const HASHES = [
  ['SHA-256', 'sha256', 'attachment_sha256'],
  ['SHA-1', 'sha1', 'attachment_sha1'],
  ['MD5', 'md5', 'attachment_md5'],
] as const;

function Hashes({ attachment, full }: { attachment: Attachment; full: boolean }): JSX.Element {
  const hashes = HASHES.filter(([, key]) => attachment[key]);
  const shown = full ? hashes : hashes.slice(0, 1);
  const realType = otherType(attachment);
  const locked = encryptedBy(attachment.encryption);
  return (
    <div className="em-attachment-more">
      <span className="em-hashes">
        {shown.length === 0 ? <span className="pp-unknown">No hash recorded</span> : null}
        {shown.map(([name, key, field]) => (
          <span key={key} className="en-nowrap">
            <span className="pp-t3">{name}</span>{' '}
            <EntityValue
              entity={{ kind: 'hash', value: attachment[key] ?? '', field }}
              text={full ? (attachment[key] ?? '') : shortHash(attachment[key] ?? '')}
            />
          </span>
        ))}
      </span>
      <span
        className="pp-t3 pp-ellipsis"
        title={`${locked} ${visibleText(attachment.mime_type ?? '')}`.trim()}
      >
        {locked === '' ? null : <span className="pp-caution">{locked} </span>}
        {attachment.mime_type ? visibleText(attachment.mime_type) : 'Unknown type'}
        {attachment.is_inline ? ', inline' : ''}
      </span>
      {realType === null ? null : <span className="pp-wrap-anywhere">{typeByBytes(realType)}</span>}
      {attachment.members?.length && !full ? (
        <span className="pp-t3">{plural(attachment.members.length, 'file')} in it</span>
      ) : null}
      {full ? <MoreFields record={attachment} shape={attachmentFields.shape} /> : null}
    </div>
  );
}

const scrollIntoView = (row: HTMLElement | null): void => row?.scrollIntoView({ block: 'center' });

/** How many files of an archive are drawn; the one that a reason is about always is. */
const MOST_MEMBERS = 100;

function Members({ members, marked }: { members: readonly ArchiveMember[]; marked: string }): JSX.Element {
  const shown = members
    .map((member, index) => ({ ...member, id: `${index} ${member.path}`, index }))
    .filter(({ path, index }) => index < MOST_MEMBERS || path === marked);
  return (
    <ul className="em-members" aria-label="Files in the archive">
      {shown.map((member) => {
        const isMarked = member.path === marked;
        const locked = encryptedBy(member.encryption);
        return (
          <li
            key={member.id}
            className="em-member"
            {...(isMarked ? { 'aria-current': true, ref: scrollIntoView } : {})}
          >
            <span className="em-attachment-name" title={visibleName(member.path)}>
              <Name name={member.path} />
            </span>
            <span className="pp-t3 pp-ellipsis" title={visibleText(member.content_type ?? '')}>
              {locked === '' ? null : <span className="pp-caution">{locked} </span>}
              {visibleText(member.content_type ?? '')}
            </span>
            <span className="pp-num en-nowrap">
              {typeof member.size === 'number' ? (
                bytes(member.size)
              ) : (
                <span className="pp-unknown">Unknown</span>
              )}
            </span>
          </li>
        );
      })}
      {shown.length < members.length ? (
        <li className="en-note">{exact(members.length - shown.length)} more files not shown.</li>
      ) : null}
    </ul>
  );
}

interface RowProps {
  attachment: Attachment;
  full: boolean;
  /** The whole mail is on this machine, so every attachment can be saved. */
  isHere: boolean;
  isMarked: boolean;
  /** The path of the file in it that the reason is about, or '' for the attachment itself. */
  markedMember: string;
}

function Row({ attachment, full, isHere, isMarked, markedMember }: RowProps): JSX.Element {
  const verdict = attachmentVerdict(attachment);
  const [downloading, setDownloading] = useState(false);
  return (
    <>
      <div className="em-attachment" {...(isMarked ? { 'aria-current': true, ref: scrollIntoView } : {})}>
        <span className="pp-t3 pp-stack-cell">{iconOf(attachment)}</span>
        <span className="em-attachment-name" title={visibleName(attachment.name)}>
          <Name name={attachment.name} />
        </span>
        <span className="en-nowrap">
          <VerdictChip verdict={verdict.verdict} code={verdict.rawCode} error={verdict.error} />
        </span>
        <span className="en-nowrap">
          <SeenIn attachment={attachment} />
          {full && attachment.entity_id !== '' && (isHere || (attachment.matches ?? 0) > 0) ? (
            <LinkButton className="em-download" onClick={() => setDownloading(true)}>
              {isHere ? 'Save' : 'Download'}
            </LinkButton>
          ) : null}
          {downloading ? (
            <DownloadDialog
              entityType="email"
              entityId={attachment.entity_id}
              name={attachment.name}
              unmatched={isHere}
              onClose={() => setDownloading(false)}
            />
          ) : null}
        </span>
        <span
          className="pp-num en-nowrap"
          title={typeof attachment.size === 'number' ? `${exact(attachment.size)} bytes` : undefined}
        >
          {typeof attachment.size === 'number' ? (
            bytes(attachment.size)
          ) : (
            <span className="pp-unknown">Unknown</span>
          )}
        </span>
      </div>
      {full || !attachment.is_inline ? <Hashes attachment={attachment} full={full} /> : null}
      {full && attachment.members?.length ? (
        <Members members={attachment.members} marked={isMarked ? markedMember : ''} />
      ) : null}
    </>
  );
}

/** How many attachments are drawn at first; a mail can carry thousands. */
const MOST = 200;

/** The attachments with verdict, hashes and how many emails carry the same content. */
export function AttachmentsPanel({
  email,
  full = false,
  place,
}: {
  email: EmailReads;
  full?: boolean;
  place?: Located | undefined;
}): JSX.Element {
  const { attachments } = email;
  const isHere = hasMessage(email);
  const [savingAll, setSavingAll] = useState(false);
  const rows = attachments.data?.rows;
  const [first, ...rest] = rows ?? [];
  const size = rows ? totalSize(rows) : null;
  const hashes =
    rows?.map((attachment) => bestHash(attachment)?.value).filter((value) => value !== undefined) ?? [];
  return (
    <Panel
      title="Attachments"
      {...(rows
        ? {
            count: [exact(rows.length), rows.length > 0 && size !== null ? bytes(size) : null]
              .filter(Boolean)
              .join(' · '),
          }
        : {})}
      rows={2}
      shownInstead="Showing an older list."
      notKnown="Attachments are unknown."
      className={full ? 'en-fill' : ''}
      menu={panelMenu(
        attachments.refresh,
        isHere && {
          text: 'Save all…',
          icon: Archive,
          isOff: first === undefined || rest.length >= MAX_FILES_AT_ONCE,
          run: () => setSavingAll(true),
        },
        copying('Copy hashes', hashes, `${plural(hashes.length, 'hash', 'hashes')} copied`),
      )}
      empty={
        rows?.length === 0
          ? {
              title: 'No attachments',
              reason: isHere ? 'The email has none.' : 'The service reports none for this email.',
            }
          : null
      }
      {...listState(attachments)}
    >
      {savingAll && first ? (
        <DownloadDialog
          entityType="email"
          entityId={first.entity_id}
          name={first.name}
          others={rest.map((attachment) => ({ entityId: attachment.entity_id, name: attachment.name }))}
          unmatched
          onClose={() => setSavingAll(false)}
        />
      ) : null}
      {rows && rows.length > 0 ? (
        <div className="em-attachments">
          {rows.slice(0, full ? MOST : 20).map((attachment, index) => (
            <Row
              key={attachment.entity_id || index}
              attachment={attachment}
              full={full}
              isHere={isHere}
              isMarked={place?.rows?.includes(index) ?? false}
              markedMember={place?.member ?? ''}
            />
          ))}
          {rows.length > (full ? MOST : 20) ? (
            <p className="en-note">
              {exact(rows.length - (full ? MOST : 20))} more not shown. Copy hashes includes all.
            </p>
          ) : null}
        </div>
      ) : null}
    </Panel>
  );
}
