import { Button, Menu, MenuDivider } from '@blueprintjs/core';
import { BlockedPerson, Clipboard, More, Refresh } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { type Command, menuItems, useCommands } from '#renderer/commands/command.tsx';
import { cap, EMAIL, RESPONSE } from '#renderer/commands/keys.ts';
import { ExceptionItems } from '#renderer/entity/exception-items.tsx';
import { OfflinePinItems } from '#renderer/entity/offline-pins.tsx';
import { copying } from '#renderer/entity/panel-menu.tsx';
import { ResponseButton, ResponseItems, useResponseKeys } from '#renderer/entity/response-items.tsx';
import { useSendRefusal } from '#renderer/state/caller.ts';
import { openIndicators } from '#renderer/state/indicator-order.ts';
import type { ListPlace } from '#renderer/state/neighbours.ts';
import { type ExceptionPrefill, openWith } from '#renderer/state/tab-payload.ts';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { MenuPopover } from '#renderer/ui/menu/menu-popover.tsx';
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

const copyCommands = (email: EmailReads): Command[] => {
  const common = { icon: Clipboard, isOff: !email.profile.data };
  return [
    { ...EMAIL.copy, ...common, run: () => copyIndicators(email, true) },
    { ...EMAIL.copyRaw, ...common, run: () => copyIndicators(email, false) },
  ];
};

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
      {menuItems(
        [
          ...copyCommands(email).map((command) => ({ ...command, label: `${command.text}…` })),
          copying('Copy subject', profile?.subject, 'Subject copied'),
          copying('Copy Message-ID', profile?.message_id, 'Message-ID copied'),
          copying('Copy raw headers', email.headers.data?.raw, 'Headers copied'),
        ],
        [{ text: 'Refresh all', icon: Refresh, run: email.refreshAll }],
      )}
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
    useSendRefusal()('exceptions.create-external') ?? (sender === null ? 'The sender is unknown.' : null);
  const block = () => {
    if (cannotBlock === null && sender) openWith('exceptions', { prefill: sender });
  };
  useResponseKeys('email', response, first);
  useCommands([{ ...EMAIL.blockSender, why: cannotBlock, run: block }]);
  return (
    <>
      {main.map((kind) => (
        <ResponseButton
          key={kind}
          kind={kind}
          response={response}
          spec={kind === first ? RESPONSE.act : undefined}
        />
      ))}
      <ResponseButton kind="rescan" response={response} spec={RESPONSE.rescan} small={!wide} />
      <Button
        icon={<BlockedPerson size={14} />}
        text={wide ? 'Block sender' : undefined}
        aria-label="Block sender"
        disabled={cannotBlock !== null}
        title={cannotBlock ?? `Block sender (${cap(EMAIL.blockSender)})`}
        onClick={block}
      />
      <ResponseButton kind="report" response={response} small={!wide} spec={RESPONSE.report} />
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
  useCommands(copyCommands(email), !none);
  return (
    <>
      <ResponseButtons response={response} sender={senderOf(email)} />
      <SimilarMenu email={email} />
      <Button
        icon={<Clipboard size={14} />}
        text="IOCs"
        title={`Indicators of this email, to copy or save (${cap(EMAIL.copy)})`}
        disabled={none}
        onClick={() => copyIndicators(email, true)}
      />
      <MenuPopover placement="bottom-end" content={<MoreMenu {...props} />}>
        <IconButton outlined icon={<More size={14} />} label="More actions" />
      </MenuPopover>
    </>
  );
}
