import { Button, Menu, MenuDivider, MenuItem, PopoverNext } from '@blueprintjs/core';
import { Clipboard, More, Refresh, SearchAround } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { copyText } from '#renderer/state/entity-actions.ts';
import { useHotkeys } from '#renderer/state/hotkeys.ts';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { Kbd } from '#renderer/ui/kbd.tsx';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import { exact, visibleText } from '#shared/model/format.ts';
import { type Ioc, iocList, iocSummary } from '#shared/model/ioc.ts';
import { emailIocs } from './email-iocs.ts';
import { likenesses, openSimilar } from './similar.ts';
import type { EmailReads } from './use-email.ts';

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

function SimilarMenu({ email }: { email: EmailReads }): JSX.Element | null {
  const profile = email.profile.data;
  if (!profile) return null;
  const all = likenesses(profile, email.attachments.data?.rows);
  return (
    <Menu aria-label="Similar emails">
      {all.map((one) => (
        <MenuItem
          key={one.id}
          text={one.label}
          labelElement={
            <span className="em-menu-value">
              {one.entities.length === 1
                ? visibleText(one.entities[0]?.value ?? '')
                : exact(one.entities.length)}
            </span>
          }
          onClick={() => void openSimilar([one], profile.subject)}
        />
      ))}
      {all.length > 1 ? <MenuDivider /> : null}
      {all.length > 1 ? (
        <MenuItem text="Any of these" onClick={() => void openSimilar(all, profile.subject)} />
      ) : null}
    </Menu>
  );
}

/** What can be done with the email now; C and Shift C copy its indicators. */
export function EmailActions({ email }: { email: EmailReads }): JSX.Element {
  const { wide } = useBreakpoint();
  const { iocs, copy } = useIocs(email);
  const profile = email.profile.data;
  const none = iocs.length === 0;
  useHotkeys(
    [
      { keys: ['C'], text: 'Copy IOCs, defanged', run: () => copy(true) },
      { keys: ['Shift+C'], text: 'Copy IOCs, raw', run: () => copy(false) },
    ],
    !none,
  );
  const copyItem = (text: string, value: string | null | undefined, what: string) => (
    <MenuItem
      text={text}
      icon={<Clipboard size={14} />}
      disabled={!value}
      onClick={() => void copyText(value ?? '', what)}
    />
  );
  return (
    <>
      <PopoverNext
        content={<SimilarMenu email={email} />}
        placement="bottom-end"
        animation="minimal"
        arrow={false}
        disabled={!profile}
      >
        <Button
          icon={<SearchAround size={14} />}
          text={wide ? 'Find similar' : 'Similar'}
          disabled={!profile}
        />
      </PopoverNext>
      <Button
        icon={<Clipboard size={14} />}
        text="IOCs"
        title={`${iocSummary(iocs)}: copy, defanged (C)`}
        disabled={none}
        onClick={() => copy(true)}
      />
      <PopoverNext
        placement="bottom-end"
        animation="minimal"
        arrow={false}
        content={
          <Menu aria-label="Email actions">
            <MenuItem
              text="Copy IOCs, defanged"
              icon={<Clipboard size={14} />}
              labelElement={<Kbd keys="C" />}
              disabled={none}
              onClick={() => copy(true)}
            />
            <MenuItem
              text="Copy IOCs, raw"
              icon={<Clipboard size={14} />}
              labelElement={<Kbd keys="⇧C" />}
              disabled={none}
              onClick={() => copy(false)}
            />
            <MenuDivider />
            {copyItem('Copy subject', profile?.subject, 'Subject copied')}
            {copyItem('Copy Message-ID', profile?.message_id, 'Message-ID copied')}
            {copyItem('Copy raw headers', email.headers.data?.raw, 'Headers copied')}
            <MenuDivider />
            <MenuItem text="Refresh everything" icon={<Refresh size={14} />} onClick={email.refreshAll} />
          </Menu>
        }
      >
        <IconButton outlined icon={<More size={14} />} label="More actions" />
      </PopoverNext>
    </>
  );
}
