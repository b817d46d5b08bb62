import { Button, Menu, MenuDivider, MenuItem } from '@blueprintjs/core';
import { Clipboard, More, Refresh } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { ExceptionItems } from '#renderer/entity/exception-items.tsx';
import { OfflinePinItems } from '#renderer/entity/offline-pins.tsx';
import { ResponseButton, ResponseItems } from '#renderer/entity/response-items.tsx';
import { copyText } from '#renderer/state/entity-actions.ts';
import { useHotkeys } from '#renderer/state/hotkeys.ts';
import type { ListPlace } from '#renderer/state/neighbours.ts';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { Kbd } from '#renderer/ui/kbd.tsx';
import { MenuPopover } from '#renderer/ui/menu-popover.tsx';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import { type Ioc, iocList, iocSummary } from '#shared/model/ioc.ts';
import type { ResponseKind } from '#shared/model/responses.ts';
import { emailIocs, exceptionOffers } from './email-values.ts';
import { type EmailResponse, mainKinds } from './response.tsx';
import { SimilarMenu } from './similar-menu.tsx';
import type { EmailReads } from './use-email.ts';

interface EmailActionsProps {
  email: EmailReads;
  response: EmailResponse;
  place: ListPlace | null;
}

function useIocs(email: EmailReads): { iocs: Ioc[]; copy: (defanged: boolean) => void } {
  const { profile, attachments, parsed } = email;
  const iocs = profile.data ? emailIocs(profile.data, attachments.data?.rows, parsed?.analysis) : [];
  const copy = (defanged: boolean) => {
    const missing = [attachments.data ? null : 'attachments', parsed ? null : 'headers'].filter(
      (part) => part !== null,
    );
    const rest = missing.length > 0 ? `; ${missing.join(' and ')} not loaded, not included` : '';
    void copyText(
      iocList(iocs, defanged),
      `Copied ${iocSummary(iocs)}${defanged ? ', defanged' : ', raw'}${rest}`,
    );
  };
  return { iocs, copy };
}

const MENU: readonly ResponseKind[] = [
  'quarantine',
  'restore',
  'decline',
  'request_restore',
  'delete',
  'rescan',
  'identify',
];

function MoreMenu(
  props: EmailActionsProps & { noIocs: boolean; copy: (defanged: boolean) => void },
): JSX.Element {
  const { email, response, place, noIocs, copy } = props;
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
        text="Copy IOCs, defanged"
        icon={<Clipboard size={14} />}
        labelElement={<Kbd keys="C" />}
        disabled={noIocs}
        onClick={() => copy(true)}
      />
      <MenuItem
        text="Copy IOCs, raw"
        icon={<Clipboard size={14} />}
        labelElement={<Kbd keys="⇧C" />}
        disabled={noIocs}
        onClick={() => copy(false)}
      />
      {copyItem('Copy subject', profile?.subject, 'Subject copied')}
      {copyItem('Copy Message-ID', profile?.message_id, 'Message-ID copied')}
      {copyItem('Copy raw headers', email.headers.data?.raw, 'Headers copied')}
      <MenuDivider />
      <MenuItem text="Refresh all" icon={<Refresh size={14} />} onClick={email.refreshAll} />
    </Menu>
  );
}

/** A acts, R reports. */
function ResponseButtons({ response }: { response: EmailResponse }): JSX.Element {
  const { wide } = useBreakpoint();
  const { refusal, start } = response;
  const main = mainKinds(response);
  const first = main.find((kind) => refusal(kind) === null);
  useHotkeys([
    { keys: ['A'], text: 'Act on the email', run: () => (first === undefined ? false : start(first)) },
    { keys: ['R'], text: 'Report', run: () => (refusal('report') === null ? start('report') : false) },
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
      <ResponseButton kind="report" response={response} small={!wide} />
    </>
  );
}

/** What can be done with the email now; C and Shift C copy its indicators. */
export function EmailActions(props: EmailActionsProps): JSX.Element {
  const { email, response } = props;
  const { iocs, copy } = useIocs(email);
  const none = iocs.length === 0;
  useHotkeys(
    [
      { keys: ['C'], text: 'Copy IOCs, defanged', run: () => copy(true) },
      { keys: ['Shift+C'], text: 'Copy IOCs, raw', run: () => copy(false) },
    ],
    !none,
  );
  return (
    <>
      <ResponseButtons response={response} />
      <SimilarMenu email={email} />
      <Button
        icon={<Clipboard size={14} />}
        text="IOCs"
        title={`${iocSummary(iocs)}: copy, defanged (C)`}
        disabled={none}
        onClick={() => copy(true)}
      />
      <MenuPopover placement="bottom-end" content={<MoreMenu {...props} noIocs={none} copy={copy} />}>
        <IconButton outlined icon={<More size={14} />} label="More actions" />
      </MenuPopover>
    </>
  );
}
