import type { JSX } from 'react';
import type { Read } from '#renderer/bridge/use-read.ts';
import { openEmail } from '#renderer/state/navigation.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { Panel } from '#renderer/ui/panel.tsx';
import { VerdictChip } from '#renderer/ui/verdict-chip.tsx';
import { profileTime, zoneLabel } from '#shared/model/clock.ts';
import type { Row } from '#shared/model/entities.ts';
import { visibleText } from '#shared/model/format.ts';

function textOf(row: Row, key: string): string {
  const value = row[key];
  return typeof value === 'string' ? value : '';
}

function MailRow({ row }: { row: Row }): JSX.Element {
  const clock = useClock();
  const subject = visibleText(textOf(row, 'subject')) || '(no subject)';
  const from = visibleText(textOf(row, 'from_email'));
  return (
    <tr>
      <td className="pp-t2" title={profileTime(textOf(row, 'received'), clock)}>
        {profileTime(textOf(row, 'received'), clock).slice(0, 16)}
      </td>
      <td>
        <VerdictChip verdict={textOf(row, 'verdict')} compact />
      </td>
      <td>
        <button
          type="button"
          className="pp-link pp-ellipsis"
          title={subject}
          onClick={() => openEmail(textOf(row, 'saas'), textOf(row, 'entity_id'), subject)}
        >
          {subject}
        </button>
      </td>
      <td className="pp-mono pp-ellipsis" title={from}>
        {from}
      </td>
    </tr>
  );
}

/** The newest messages of an evidence mailbox; each opens its profile. */
export function NewestMail({
  read,
  rows,
  importing,
}: {
  read: Read<'query.execute'>;
  rows: number;
  importing: boolean;
}): JSX.Element {
  const clock = useClock();
  const mails = read.data?.rows ?? [];
  return (
    <Panel
      title="Newest mail"
      freshness={read.freshness}
      loading={read.loading}
      error={read.error}
      onRetry={read.refresh}
      rows={rows}
      empty={
        read.data && mails.length === 0
          ? importing
            ? { title: 'No mail yet', reason: 'The evidence is still being read.' }
            : { title: 'No mail here', reason: 'The import found no message.' }
          : null
      }
    >
      {read.data ? (
        <table className="pp-home-table pp-home-mail">
          <thead>
            <tr>
              <th scope="col">Received ({zoneLabel(clock)})</th>
              <th scope="col">Verdict</th>
              <th scope="col">Subject</th>
              <th scope="col">From</th>
            </tr>
          </thead>
          <tbody>
            {mails.map((row) => (
              <MailRow key={textOf(row, 'entity_id')} row={row} />
            ))}
          </tbody>
        </table>
      ) : null}
    </Panel>
  );
}
