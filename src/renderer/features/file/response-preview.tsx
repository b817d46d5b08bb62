import type { JSX } from 'react';
import { EntityResponseDialog, stackWarnings } from '#renderer/entity/entity-response.tsx';
import type { Response } from '#renderer/entity/use-sending.ts';
import { exact } from '#shared/model/format.ts';
import type { ResponseKind } from '#shared/model/responses.ts';
import type { FileReads } from './use-file.ts';

/** What speaks against it, before it is sent. */
function warningsFor(kind: ResponseKind, file: FileReads): string[] {
  const warnings = stackWarnings(kind, file.tools.stack, 'all who may reach it');
  const people = file.permissions.data?.total_rows ?? 0;
  if ((kind === 'quarantine' || kind === 'delete') && people > 50)
    warnings.push(`${exact(people)} entries of its permissions lose it at once.`);
  return warnings;
}

/** The dialog of the response that was begun. */
export function FileResponseDialog(props: { file: FileReads; sending: Response }): JSX.Element {
  const { file, sending } = props;
  const profile = file.profile.data;
  const people = file.permissions.data;
  return (
    <EntityResponseDialog
      noun="file"
      sending={sending}
      stack={file.tools.stack}
      figures={[
        { label: 'File', value: 1, accent: true },
        { label: 'May reach it', value: people ? (people.total_rows ?? people.rows.length) : 'Unknown' },
        { label: 'Events', value: file.events.total ?? 'Unknown' },
      ]}
      title={profile?.title || '(no title)'}
      from={profile?.path ?? ''}
      warningsFor={(kind) => warningsFor(kind, file)}
      identifier={profile?.entity_identifier}
    />
  );
}
