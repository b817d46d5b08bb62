import { Document } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { EntityHead } from '#renderer/entity/entity-head.tsx';
import type { ListPlace } from '#renderer/state/neighbours.ts';
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
  return (
    <EntityHead
      noun="file"
      tabId={props.tabId}
      of={{ kind: 'file', saas: file.saas, entityId: file.entityId }}
      title={data ? data.title || '(no title)' : (props.title ?? 'File')}
      icon={<Document size={16} />}
      profile={profile}
      tools={tools}
      line={tools.stack ? fileVerdictLine(tools.stack, data, { held, people }) : null}
      word={data?.verdict}
      actions={<FileActions file={file} response={response} place={place} onDownload={onDownload} />}
    />
  );
}
