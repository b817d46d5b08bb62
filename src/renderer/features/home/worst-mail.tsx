import type { JSX } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { LOUD, mailPayload, WORST_FIRST } from '#renderer/entity/mail-payload.ts';
import { quietState } from '#renderer/entity/panel-state.ts';
import { blankQuery } from '#renderer/state/drafts.ts';
import { openPivot } from '#renderer/state/navigation.ts';
import type { EmptyInfo } from '#renderer/ui/empty-state.tsx';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { TableHead } from '#renderer/ui/table-head.tsx';
import { directionOf } from '#renderer/ui/text-direction.ts';
import { VerdictChip } from '#renderer/ui/verdict-chip.tsx';
import type { Row } from '#shared/model/entities.ts';
import { exact, visibleText } from '#shared/model/format.ts';
import { Sender, SubjectLink, textOf } from './mail-cells.tsx';

const SHOWN = 15;
const REASONS = 2;
const TITLE = 'Emails that deserve a look';
const WORST = {
  body: {
    ...mailPayload(LOUD, SHOWN),
    columns: ['verdict', 'subject', 'from_email', 'reasons', 'saas'],
    sort_by: [WORST_FIRST],
  },
};

const reasonsOf = (row: Row): string[] =>
  [...new Set([row['reasons']].flat())]
    .filter((reason) => typeof reason === 'string')
    .slice(0, REASONS)
    .map(visibleText);

function WorstRow({ row }: { row: Row }): JSX.Element {
  const reasons = reasonsOf(row);
  return (
    <tr>
      <td>
        <VerdictChip verdict={textOf(row, 'verdict')} compact />
      </td>
      <td>
        <SubjectLink row={row} />
        <Sender row={row} />
      </td>
      <td>
        {reasons.length === 0 ? (
          <span className="pp-unknown">No reason is recorded</span>
        ) : (
          <ul aria-label="Strongest reasons">
            {reasons.map((reason) => (
              <li key={reason} className="pp-ellipsis" title={reason} dir={directionOf(reason)}>
                {reason}
              </li>
            ))}
          </ul>
        )}
      </td>
    </tr>
  );
}

/** What an empty list means: never that the emails are clean. */
function noneFound(importing: boolean, incomplete: string | null): EmptyInfo {
  if (importing) return { title: 'Nothing found so far', reason: 'Emails are checked as they are imported.' };
  if (incomplete !== null) return { title: 'Nothing found so far', reason: incomplete };
  return { title: 'Nothing found by the checks', reason: 'That does not make the emails clean.' };
}

export function WorstMail(props: {
  /** Emails in all, or undefined if that is not known. */
  total: number | undefined;
  importing: boolean;
  /** Why not all of the evidence was read, or null if it was. */
  incomplete: string | null;
}): JSX.Element {
  const { total, importing, incomplete } = props;
  const read = useRead('query.execute', WORST);
  const rows = read.data?.rows;
  const count = read.data?.total_rows ?? 0;
  const isPartial = importing || incomplete !== null;
  const of = total === undefined ? '' : ` of ${exact(total)}`;
  return (
    <Panel
      title={TITLE}
      count={read.data ? `${exact(count)}${of}${isPartial ? ' so far' : ''}` : ''}
      {...quietState(read)}
      rows={SHOWN}
      notKnown="This does not mean that there are none."
      actions={
        count > 0 ? (
          <LinkButton
            className="pp-small"
            onClick={() =>
              openPivot({ ...blankQuery('email'), name: TITLE, filter: LOUD, sort: [WORST_FIRST] })
            }
          >
            Show all {exact(count)}
          </LinkButton>
        ) : null
      }
      empty={rows?.length === 0 ? noneFound(importing, incomplete) : null}
    >
      {rows && isPartial ? (
        <p className="pp-caution-bar pp-home-ahead" role="note">
          {importing ? 'Import in progress: more emails may deserve a look.' : incomplete}
        </p>
      ) : null}
      {rows ? (
        <table className="pp-home-table pp-home-mail pp-home-worst" aria-label={TITLE}>
          <TableHead heads={['Verdict', 'Subject and sender', 'Strongest reasons']} />
          <tbody>
            {rows.map((row) => (
              <WorstRow key={textOf(row, 'entity_id')} row={row} />
            ))}
          </tbody>
        </table>
      ) : null}
    </Panel>
  );
}
