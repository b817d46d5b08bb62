import { Menu, MenuDivider } from '@blueprintjs/core';
import { Clipboard, Download, More, Refresh } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { type Command, CommandButton, menuItems, useCommands } from '#renderer/commands/command.tsx';
import { FILE, RESPONSE } from '#renderer/commands/keys.ts';
import { ExceptionItems, type ExceptionOffer } from '#renderer/entity/exception-items.tsx';
import { OfflinePinItems } from '#renderer/entity/offline-pins.tsx';
import { copying } from '#renderer/entity/panel-menu.tsx';
import { ResponseItems, responseCommand, useResponseKeys } from '#renderer/entity/response-items.tsx';
import { openIndicators } from '#renderer/state/indicator-order.ts';
import type { ListPlace } from '#renderer/state/neighbours.ts';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { MenuPopover } from '#renderer/ui/menu/menu-popover.tsx';
import { shortHash } from '#renderer/ui/truncate.ts';
import type { ResponseKind } from '#shared/model/responses.ts';
import { HASHES } from './file-facts.tsx';
import { FILE_RESPONSES } from './refusals.ts';
import type { FileResponse } from './response.tsx';
import type { FileReads } from './use-file.ts';

const copyHashes = ({ saas, entityId, profile }: FileReads, defanged: boolean): void =>
  openIndicators({
    source: { kind: 'file', saas, entityId },
    of: profile.data?.title ? `“${profile.data.title}”` : 'this file',
    defanged,
  });

const offersOf = ({ profile: { data } }: FileReads): ExceptionOffer[] =>
  HASHES.flatMap(({ key, label, emails }) => {
    const value = data?.[key];
    return value ? [{ label, shown: shortHash(value), value: { kind: 'hash', value, field: emails } }] : [];
  });

interface FileActionsProps {
  file: FileReads;
  response: FileResponse;
  place: ListPlace | null;
  onDownload: () => void;
}

/** What can be done with the file; a disabled button says why. D downloads, C copies the hashes. */
export function FileActions({ file, response, place, onDownload }: FileActionsProps): JSX.Element {
  const { noDownload } = response;
  const main: ResponseKind = file.held ? 'restore' : 'quarantine';
  const none = !file.profile.data;
  useResponseKeys('file', response, main);
  const download: Command = {
    ...FILE.download,
    label: 'Download',
    title: FILE.download.text,
    icon: Download,
    why: noDownload,
    run: onDownload,
  };
  const copy: Command = {
    ...FILE.copy,
    label: 'Copy hashes…',
    icon: Clipboard,
    isOff: none,
    run: (event) => copyHashes(file, event?.shiftKey !== true),
  };
  useCommands([download, copy]);
  const { data } = file.profile;
  return (
    <>
      <CommandButton command={responseCommand(response, main, RESPONSE.act)} />
      <CommandButton command={download} />
      <CommandButton command={responseCommand(response, 'rescan')} />
      <MenuPopover
        placement="bottom-end"
        content={
          <Menu aria-label="File actions" className="en-menu">
            <ResponseItems kinds={FILE_RESPONSES} response={response} main={main} />
            <MenuDivider />
            <ExceptionItems
              offers={offersOf(file)}
              from={{ type: 'file', entityId: file.entityId, title: data?.title ?? '' }}
            />
            <OfflinePinItems
              profile={{ kind: 'file', saas: file.saas, entityId: file.entityId }}
              place={place}
            />
            <MenuDivider />
            {menuItems(
              [copy, copying('Copy path', data?.path, 'Path copied')],
              [{ text: 'Refresh all', icon: Refresh, run: file.refreshAll }],
            )}
          </Menu>
        }
      >
        <IconButton outlined icon={<More size={14} />} label="More actions" />
      </MenuPopover>
    </>
  );
}
