import { Button, Menu, MenuDivider, MenuItem } from '@blueprintjs/core';
import {
  Clipboard,
  Download,
  Filter,
  Flag,
  Lock,
  More,
  Refresh,
  Repeat,
  Trash,
  Undo,
} from '@blueprintjs/icons';
import type { JSX } from 'react';
import { copyText } from '#renderer/state/entity-actions.ts';
import { openExceptionFor } from '#renderer/state/exception-prefill.ts';
import { useHotkeys } from '#renderer/state/hotkeys.ts';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { Kbd } from '#renderer/ui/kbd.tsx';
import { MenuPopover } from '#renderer/ui/menu-popover.tsx';
import { shortHash } from '#renderer/ui/truncate.ts';
import { type Ioc, iocList, iocSummary } from '#shared/model/ioc.ts';
import { RESPONSES, type ResponseKind } from '#shared/model/responses.ts';
import { HASHES } from './file-facts.tsx';
import { FILE_RESPONSES } from './refusals.ts';
import type { FileReads } from './use-file.ts';
import type { Response } from './use-response.ts';

const ICONS: Readonly<Partial<Record<ResponseKind, JSX.Element>>> = {
  quarantine: <Lock size={14} />,
  restore: <Undo size={14} />,
  rescan: <Repeat size={14} />,
  report: <Flag size={14} />,
  delete: <Trash size={14} />,
};

const hashesOf = ({ profile: { data } }: FileReads): Ioc[] =>
  HASHES.flatMap(({ key }) => {
    const value = data?.[key];
    return value ? [{ type: key, value }] : [];
  });

function ExceptionItems({ file }: { file: FileReads }): JSX.Element {
  const { data } = file.profile;
  const known = HASHES.filter(({ key }) => data?.[key]);
  return (
    <MenuItem text="Create exception from" icon={<Filter size={14} />} disabled={known.length === 0}>
      {known.map(({ key, label, emails }) => (
        <MenuItem
          key={key}
          text={label}
          labelElement={<span className="pp-t3 pp-mono">{shortHash(data?.[key] ?? '')}</span>}
          onClick={() =>
            openExceptionFor({
              value: { kind: 'hash', value: data?.[key] ?? '', field: emails },
              from: { type: 'file', entityId: file.entityId, title: data?.title ?? '' },
            })
          }
        />
      ))}
    </MenuItem>
  );
}

function Items({ response }: { response: Response }): JSX.Element {
  return (
    <>
      {FILE_RESPONSES.map((kind) => {
        const why = response.refusal(kind);
        return (
          <MenuItem
            key={kind}
            icon={ICONS[kind] ?? 'blank'}
            multiline
            disabled={why !== null}
            text={
              <>
                {RESPONSES[kind].verb}…{why === null ? null : <span className="fi-why">{why}</span>}
              </>
            }
            onClick={() => response.start(kind)}
          />
        );
      })}
    </>
  );
}

interface FileActionsProps {
  file: FileReads;
  response: Response;
  onDownload: () => void;
}

/** What can be done with the file; a disabled button says why. A acts, D downloads, C copies the hashes. */
export function FileActions({ file, response, onDownload }: FileActionsProps): JSX.Element {
  const { refusal, start, noDownload } = response;
  const main: ResponseKind = file.held ? 'restore' : 'quarantine';
  const hashes = hashesOf(file);
  const copy = () => void copyText(iocList(hashes, true), `Copied ${iocSummary(hashes)}`);
  const begin = (kind: ResponseKind) => (refusal(kind) === null ? start(kind) : false);
  useHotkeys([
    { keys: ['A'], text: 'Act on the file', run: () => begin(main) },
    { keys: ['R'], text: 'Report', run: () => begin('report') },
    {
      keys: ['D'],
      text: 'Download the matched file',
      run: () => (noDownload === null ? onDownload() : false),
    },
    { keys: ['C'], text: 'Copy hashes', run: () => (hashes.length > 0 ? copy() : false) },
  ]);
  const button = (kind: ResponseKind) => {
    const why = refusal(kind);
    return (
      <Button
        icon={ICONS[kind]}
        text={RESPONSES[kind].verb}
        {...(kind === 'quarantine' ? { intent: 'danger' as const } : {})}
        disabled={why !== null}
        title={why ?? RESPONSES[kind].effect}
        onClick={() => start(kind)}
      />
    );
  };
  const { data } = file.profile;
  return (
    <>
      <Button
        icon={<Download size={14} />}
        text="Download"
        disabled={noDownload !== null}
        title={noDownload ?? 'The file that a tool matched (D)'}
        onClick={onDownload}
      />
      {button('rescan')}
      <MenuPopover
        placement="bottom-end"
        content={
          <Menu aria-label="File actions">
            <Items response={response} />
            <MenuDivider />
            <ExceptionItems file={file} />
            <MenuDivider />
            <MenuItem
              text="Copy hashes"
              icon={<Clipboard size={14} />}
              labelElement={<Kbd keys="C" />}
              disabled={hashes.length === 0}
              onClick={copy}
            />
            <MenuItem
              text="Copy path"
              icon={<Clipboard size={14} />}
              disabled={!data?.path}
              onClick={() => void copyText(data?.path ?? '', 'Path copied')}
            />
            <MenuDivider />
            <MenuItem text="Refresh everything" icon={<Refresh size={14} />} onClick={file.refreshAll} />
          </Menu>
        }
      >
        <IconButton outlined icon={<More size={14} />} label="More actions" />
      </MenuPopover>
      {button(main)}
    </>
  );
}
