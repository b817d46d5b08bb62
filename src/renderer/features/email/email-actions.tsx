import { Button, Menu, MenuDivider, MenuItem } from '@blueprintjs/core';
import { BlockedPerson, Clipboard, More, Refresh } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { ExceptionItems } from '#renderer/entity/exception-items.tsx';
import { OfflinePinItems } from '#renderer/entity/offline-pins.tsx';
import { ResponseButton, ResponseItems, useResponseKeys } from '#renderer/entity/response-items.tsx';
import { useSendRefusal } from '#renderer/state/caller.ts';
import { copyText } from '#renderer/state/entity-actions.ts';
import { useHotkeys } from '#renderer/state/hotkeys.ts';
import { openIndicators } from '#renderer/state/indicator-order.ts';
import type { ListPlace } from '#renderer/state/neighbours.ts';
import { type ExceptionPrefill, openWith } from '#renderer/state/tab-payload.ts';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { Kbd } from '#renderer/ui/kbd.tsx';
import { MenuPopover } from '#renderer/ui/menu-popover.tsx';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import type { ResponseKind } from '#shared/model/responses.ts';
import { exceptionOffers } from './email-values.ts';
import { type EmailResponse, mainKinds } from './response.tsx';
import { SimilarMenu } from './similar-menu.tsx';
import type { EmailReads } from './use-email.ts';

interface EmailActionsProps {
  email: EmailReads;
  response: EmailResponse;
  place: ListPlace | null;
}

const copyIndicators = ({ saas, entityId, profile }: EmailReads, defanged: boolean): void =>
  openIndicators({
    source: { kind: 'email', saas, entityId },
    of: profile.data?.subject ? `“${profile.data.subject}”` : 'this email',
    defanged,
  });

const MENU: readonly ResponseKind[] = [
  'quarantine',
  'restore',
  'decline',
  'request_restore',
  'delete',
  'rescan',
  'identify',
];

function MoreMenu(props: EmailActionsProps): JSX.Element {
  const { email, response, place } = props;
  const profile = email.profile.data;
  const copyItem = (text: string, value: string | null | undefined, what: string) => (
    <MenuItem
      text={text}
      icon={<Clipboard size={14} />}
      disabled={!value}
      onClick={() => void copyText(value ?? '', what)}
    />
  );
  return (
    <Menu aria-label="Email actions" className="en-menu">
      <ResponseItems kinds={MENU} response={response} main={mainKinds(response)[0]} />
      <MenuDivider />
      <ExceptionItems
        offers={exceptionOffers(email)}
        from={{ type: 'email', entityId: email.entityId, title: profile?.subject ?? '' }}
      />
      <OfflinePinItems
        profile={{ kind: 'email', saas: email.saas, entityId: email.entityId }}
        place={place}
      />
      <MenuDivider />
      <MenuItem
        text="Copy IOCs, defanged…"
        icon={<Clipboard size={14} />}
        labelElement={<Kbd keys="C" />}
        disabled={!profile}
        onClick={() => copyIndicators(email, true)}
      />
      <MenuItem
        text="Copy IOCs, raw…"
        icon={<Clipboard size={14} />}
        labelElement={<Kbd keys="Shift C" />}
        disabled={!profile}
        onClick={() => copyIndicators(email, false)}
      />
      {copyItem('Copy subject', profile?.subject, 'Subject copied')}
      {copyItem('Copy Message-ID', profile?.message_id, 'Message-ID copied')}
      {copyItem('Copy raw headers', email.headers.data?.raw, 'Headers copied')}
      <MenuDivider />
      <MenuItem text="Refresh all" icon={<Refresh size={14} />} onClick={email.refreshAll} />
    </Menu>
  );
}

/** The responses, and Shift B, which blocks the sender. */
function ResponseButtons({
  response,
  sender,
}: {
  response: EmailResponse;
  /** The sender as the value of an exception; null: not known. */
  sender: ExceptionPrefill | null;
}): JSX.Element {
  const { wide } = useBreakpoint();
  const { refusal } = response;
  const main = mainKinds(response);
  const first = main.find((kind) => refusal(kind) === null);
  const cannotBlock =
    useSendRefusal()('exceptions.create') ?? (sender === null ? 'The sender is unknown.' : null);
  const block = () => {
    if (cannotBlock === null && sender) openWith('exceptions', { prefill: sender });
  };
  useResponseKeys('email', response, first);
  useHotkeys([
    { keys: ['Shift+B'], text: 'Block sender', run: () => (cannotBlock === null ? block() : false) },
  ]);
  return (
    <>
      {main.map((kind) => (
        <ResponseButton
          key={kind}
          kind={kind}
          response={response}
          shortcut={kind === first ? 'A' : undefined}
        />
      ))}
      <ResponseButton kind="rescan" response={response} shortcut="Shift R" small={!wide} />
      <Button
        icon={<BlockedPerson size={14} />}
        text={wide ? 'Block sender' : undefined}
        aria-label="Block sender"
        disabled={cannotBlock !== null}
        title={cannotBlock ?? 'Block sender (Shift B)'}
        onClick={block}
      />
      <ResponseButton kind="report" response={response} small={!wide} shortcut="R" />
    </>
  );
}

const senderOf = (email: EmailReads): ExceptionPrefill | null => {
  const { from, subject } = email.profile.data ?? {};
  return from?.email
    ? {
        value: { kind: 'email', value: from.email, field: 'from_email' },
        from: { type: 'email', entityId: email.entityId, title: subject ?? '' },
      }
    : null;
};

/** What can be done with the email now; C and Shift C copy its indicators. */
export function EmailActions(props: EmailActionsProps): JSX.Element {
  const { email, response } = props;
  const none = !email.profile.data;
  useHotkeys(
    [
      { keys: ['C'], text: 'Copy IOCs, defanged', run: () => copyIndicators(email, true) },
      { keys: ['Shift+C'], text: 'Copy IOCs, raw', run: () => copyIndicators(email, false) },
    ],
    !none,
  );
  return (
    <>
      <ResponseButtons response={response} sender={senderOf(email)} />
      <SimilarMenu email={email} />
      <Button
        icon={<Clipboard size={14} />}
        text="IOCs"
        title="Indicators of this email, to copy or save (C)"
        disabled={none}
        onClick={() => copyIndicators(email, true)}
      />
      <MenuPopover placement="bottom-end" content={<MoreMenu {...props} />}>
        <IconButton outlined icon={<More size={14} />} label="More actions" />
      </MenuPopover>
    </>
  );
}
