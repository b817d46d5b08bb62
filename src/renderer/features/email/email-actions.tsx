import { Button, Menu, MenuDivider, MenuItem } from '@blueprintjs/core';
import { Clipboard, Download, More, Refresh } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { copyText } from '#renderer/state/entity-actions.ts';
import { useHotkeys } from '#renderer/state/hotkeys.ts';
import type { ListPlace } from '#renderer/state/neighbours.ts';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { Kbd } from '#renderer/ui/kbd.tsx';
import { MenuPopover } from '#renderer/ui/menu-popover.tsx';
import { exact } from '#shared/model/format.ts';
import { type Ioc, iocList, iocSummary } from '#shared/model/ioc.ts';
import { ExceptionItems } from './create-exception.tsx';
import { emailIocs } from './email-iocs.ts';
import { ResponseButtons, ResponseItems } from './response-items.tsx';
import { SimilarMenu } from './similar-menu.tsx';
import type { EmailReads } from './use-email.ts';
import type { Response } from './use-response.ts';
import { KEEP_MOST, keepFrom } from './walk.tsx';

function useIocs(email: EmailReads): { iocs: Ioc[]; copy: (defanged: boolean) => void } {
  const { profile, attachments, parsed } = email;
  const iocs = profile.data ? emailIocs(profile.data, attachments.data?.rows, parsed?.analysis) : [];
  const copy = (defanged: boolean) => {
    const missing = [attachments.data ? null : 'attachments', parsed ? null : 'headers'].filter(
      (part) => part !== null,
    );
    const rest = missing.length > 0 ? `; ${missing.join(' and ')} not loaded, not in it` : '';
    void copyText(
      iocList(iocs, defanged),
      `Copied ${iocSummary(iocs)}${defanged ? ', defanged' : ', raw'}${rest}`,
    );
  };
  return { iocs, copy };
}

function KeepItem({
  place,
  refusal,
}: {
  place: ListPlace | null;
  refusal: string | null;
}): JSX.Element | null {
  if (place === null) return null;
  const count = Math.min(KEEP_MOST, place.source.count - place.index);
  return (
    <MenuItem
      text={count === 1 ? 'Keep this one for offline' : `Keep these ${exact(count)} for offline`}
      icon={<Download size={14} />}
      disabled={refusal !== null}
      title={refusal ?? `From this one on, of “${place.source.label}”`}
      onClick={() => keepFrom(place)}
    />
  );
}

function MoreMenu(props: {
  email: EmailReads;
  response: Response;
  place: ListPlace | null;
  noIocs: boolean;
  copy: (defanged: boolean) => void;
}): JSX.Element {
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
    <Menu aria-label="Email actions" className="em-menu">
      <ResponseItems response={response} />
      <ExceptionItems email={email} />
      <KeepItem place={place} refusal={email.sendRefusal === null ? null : 'You are offline.'} />
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
      <MenuItem text="Refresh everything" icon={<Refresh size={14} />} onClick={email.refreshAll} />
    </Menu>
  );
}

/** What can be done with the email now; C and Shift C copy its indicators. */
export function EmailActions(props: {
  email: EmailReads;
  response: Response;
  place: ListPlace | null;
}): JSX.Element {
  const { email } = props;
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
      <ResponseButtons response={props.response} />
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
