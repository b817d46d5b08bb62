import { Menu, MenuDivider } from '@blueprintjs/core';
import { BlockedPerson, Clipboard, More, Refresh } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { type Command, CommandButton, menuItems, useCommands } from '#renderer/commands/command.tsx';
import { EMAIL, type KeySpec, RESPONSE } from '#renderer/commands/keys.ts';
import { ExceptionItems } from '#renderer/entity/exception-items.tsx';
import { OfflinePinItems } from '#renderer/entity/offline-pins.tsx';
import { copying } from '#renderer/entity/panel-menu.tsx';
import { ResponseItems, responseCommand, useResponseKeys } from '#renderer/entity/response-items.tsx';
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

const copyIndicators = ({ saas, entityId, profile }: EmailReads, spec: KeySpec): Command => ({
  ...spec,
  label: `${spec.text}…`,
  icon: Clipboard,
  isOff: !profile.data,
  run: () =>
    openIndicators({
      source: { kind: 'email', saas, entityId },
      of: profile.data?.subject ? `“${profile.data.subject}”` : 'this email',
      defanged: spec === EMAIL.copy,
    }),
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
          copyIndicators(email, EMAIL.copy),
          copyIndicators(email, EMAIL.copyRaw),
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
  /** The sender as the value of an exception, or null if it is not known. */
  sender: ExceptionPrefill | null;
}): JSX.Element {
  const { wide } = useBreakpoint();
  const { refusal } = response;
  const main = mainKinds(response);
  const first = main.find((kind) => refusal(kind) === null);
  const cannotBlock =
    useSendRefusal()('exceptions.create-external') ?? (sender === null ? 'The sender is unknown.' : null);
  const block: Command = {
    ...EMAIL.blockSender,
    icon: BlockedPerson,
    why: cannotBlock,
    run: () => sender && openWith('exceptions', { prefill: sender }),
  };
  useResponseKeys('email', response, first);
  useCommands([block]);
  return (
    <>
      {main.map((kind) => (
        <CommandButton
          key={kind}
          command={responseCommand(response, kind, kind === first ? RESPONSE.act : undefined)}
        />
      ))}
      <CommandButton command={responseCommand(response, 'rescan')} isBare={!wide} />
      <CommandButton command={block} isBare={!wide} />
      <CommandButton command={responseCommand(response, 'report')} isBare={!wide} />
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
  const copy = copyIndicators(email, EMAIL.copy);
  useCommands([copy, copyIndicators(email, EMAIL.copyRaw)], !copy.isOff);
  return (
    <>
      <ResponseButtons response={response} sender={senderOf(email)} />
      <SimilarMenu email={email} />
      <CommandButton
        command={{ ...copy, label: 'IOCs', title: 'Indicators of this email, to copy or save' }}
      />
      <MenuPopover placement="bottom-end" content={<MoreMenu {...props} />}>
        <IconButton outlined icon={<More size={14} />} label="More actions" />
      </MenuPopover>
    </>
  );
}
