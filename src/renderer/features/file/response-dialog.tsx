import type { JSX } from 'react';
import { Figures } from '#renderer/ui/dialog.tsx';
import { ResponseDialog } from '#renderer/ui/response-dialog.tsx';
import { VerdictChip } from '#renderer/ui/verdict-chip.tsx';
import { exact, visibleText } from '#shared/model/format.ts';
import type { ResponseKind } from '#shared/model/responses.ts';
import { VERDICT_LABELS } from '#shared/model/verdict.ts';
import type { FileReads } from './use-file.ts';
import type { Response } from './use-response.ts';

function Preview({ file }: { file: FileReads }): JSX.Element {
  const profile = file.profile.data;
  const people = file.permissions.data;
  const total = file.tools.stack?.total;
  return (
    <>
      <Figures
        figures={[
          { label: 'File', value: 1, accent: true },
          { label: 'May reach it', value: people ? (people.total_rows ?? people.rows.length) : 'Unknown' },
          { label: 'Events', value: file.events.total ?? 'Unknown' },
        ]}
      />
      <p className="fi-preview">
        {total ? <VerdictChip verdict={total.verdict} code={total.rawCode} error={total.error} /> : null}
        <b className="pp-ellipsis" title={visibleText(profile?.title ?? '')}>
          {visibleText(profile?.title || '(no title)')}
        </b>
        <span className="pp-t3 pp-ellipsis">{visibleText(profile?.path ?? '')}</span>
      </p>
    </>
  );
}

/** What speaks against it, before it is sent. */
function warningsFor(kind: ResponseKind, file: FileReads): string[] {
  const verdict = file.tools.stack?.total.verdict;
  const harmful = verdict === 'found' || verdict === 'suspicious' || verdict === 'found-no-click';
  const warnings: string[] = [];
  const moves = kind === 'quarantine' || kind === 'delete';
  if (kind === 'restore' && harmful)
    warnings.push('Tools found something in it: restoring brings it back to all who may reach it.');
  if (moves && verdict === 'clean') warnings.push('Every tool that answered calls it clean.');
  if (file.tools.stack === null && (moves || kind === 'restore'))
    warnings.push('What the tools said is not known.');
  const people = file.permissions.data?.total_rows ?? 0;
  if (moves && people > 50) warnings.push(`${exact(people)} entries of its permissions lose it at once.`);
  return warnings;
}

/** The dialog of the response that was begun. */
export function FileResponseDialog({
  file,
  response,
}: {
  file: FileReads;
  response: Response;
}): JSX.Element | null {
  const { open } = response;
  if (open === null) return null;
  const tools = (file.tools.stack?.rows ?? []).map(({ tool, label, derived }) => ({
    id: tool,
    label,
    said: VERDICT_LABELS[derived.verdict],
  }));
  return (
    <ResponseDialog
      key={open}
      kind={open}
      noun="1 file"
      preview={<Preview file={file} />}
      warnings={warningsFor(open, file)}
      tools={tools}
      identifier={file.profile.data?.entity_identifier ?? ''}
      pending={response.pending}
      error={response.error}
      onSend={(order) => void response.send(order)}
      onClose={response.close}
    />
  );
}
