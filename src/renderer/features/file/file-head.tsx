import { Document, WarningSign } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { EntityHead } from '#renderer/entity/entity-head.tsx';
import type { ListPlace } from '#renderer/state/neighbours.ts';
import { TRICKY_NAME } from '#renderer/ui/file-name.tsx';
import { isTrickyName, visibleName } from '#shared/model/format.ts';
import { FileActions } from './file-actions.tsx';
import type { FileReads } from './use-file.ts';
import type { FileResponse } from './use-response.ts';
import { fileVerdictLine } from './verdict-line.ts';

/** Title, age, actions, and the one line that says what the file is. */
export function FileHead(props: {
  file: FileReads;
  title: string | undefined;
  tabId: string;
  response: FileResponse;
  place: ListPlace | null;
  onDownload: () => void;
}): JSX.Element {
  const { file, response, place, onDownload } = props;
  const { profile, tools, held } = file;
  const { data } = profile;
  const who = file.permissions.data;
  const people = who ? (who.total_rows ?? who.rows.length) : null;
  const title = data ? data.title || '(no title)' : (props.title ?? 'File');
  return (
    <EntityHead
      noun="file"
      tabId={props.tabId}
      of={{ kind: 'file', saas: file.saas, entityId: file.entityId }}
      title={visibleName(title)}
      icon={
        isTrickyName(title) ? (
          <span className="pp-caution" title={TRICKY_NAME}>
            <WarningSign size={16} title={TRICKY_NAME} />
          </span>
        ) : (
          <Document size={16} />
        )
      }
      profile={profile}
      tools={tools}
      line={tools.stack ? fileVerdictLine(tools.stack, data, { held, people }) : null}
      word={data?.verdict}
      actions={<FileActions file={file} response={response} place={place} onDownload={onDownload} />}
    />
  );
}
