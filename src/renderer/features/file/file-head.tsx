import { Document } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { FreshnessMark } from '#renderer/ui/freshness-mark.tsx';
import { PageHeader } from '#renderer/ui/page-header.tsx';
import { Skeleton, useDelayed } from '#renderer/ui/skeleton.tsx';
import { VerdictChip } from '#renderer/ui/verdict-chip.tsx';
import { visibleText } from '#shared/model/format.ts';
import { FileActions } from './file-actions.tsx';
import type { FileReads } from './use-file.ts';
import type { Response } from './use-response.ts';
import { fileVerdictLine } from './verdict-line.ts';

/** Without the tools' answers the service's own word is all there is, and it is said to be that. */
function WithoutTools({ file }: { file: FileReads }): JSX.Element {
  const { scans } = file.tools;
  const late = useDelayed(scans.loading);
  const word = file.profile.data?.verdict;
  if (scans.loading) return late ? <Skeleton width={420} tall /> : <span />;
  return (
    <>
      <VerdictChip verdict="unknown" word="Verdict not known" />
      <span className="pp-ellipsis">
        What the tools said could not be loaded.
        {word
          ? ` The service’s own word is “${visibleText(word)}”.`
          : ' This does not mean the file is clean.'}
      </span>
    </>
  );
}

const TONES = { plain: undefined, caution: 'pp-caution', danger: 'pp-danger' } as const;

function VerdictRow({ file }: { file: FileReads }): JSX.Element {
  const { stack } = file.tools;
  if (stack === null) {
    return (
      <div className="fi-verdict">
        <WithoutTools file={file} />
      </div>
    );
  }
  const people = file.permissions.data;
  const line = fileVerdictLine(stack, file.profile.data, {
    held: file.held,
    people: people ? (people.total_rows ?? people.rows.length) : null,
  });
  return (
    <div className="fi-verdict" data-verdict={line.verdict}>
      <span className="en-nowrap">
        <VerdictChip solid verdict={line.verdict} word={line.word} code={line.code} error={line.error} />
      </span>
      <span className="pp-ellipsis" title={line.parts.map((part) => part.text).join(' ')}>
        {line.parts.map((part) => (
          <span key={part.text} className={TONES[part.tone]}>
            {visibleText(part.text)}{' '}
          </span>
        ))}
      </span>
    </div>
  );
}

interface FileHeadProps {
  file: FileReads;
  title: string | undefined;
  response: Response;
  onDownload: () => void;
}

/** Title, age, actions, and the one line that says what the file is. */
export function FileHead({ file, title, response, onDownload }: FileHeadProps): JSX.Element {
  const { profile } = file;
  const shown = profile.data ? profile.data.title || '(no title)' : (title ?? 'File');
  return (
    <>
      <PageHeader
        title={visibleText(shown)}
        icon={<Document size={16} />}
        freshness={
          <FreshnessMark
            freshness={profile.freshness}
            loading={profile.loading || profile.revalidating}
            error={profile.error}
          />
        }
        actions={<FileActions file={file} response={response} onDownload={onDownload} />}
      />
      <VerdictRow file={file} />
    </>
  );
}
