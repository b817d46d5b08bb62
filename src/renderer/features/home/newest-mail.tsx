import type { JSX } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { mailPayload } from '#renderer/entity/mail-payload.ts';
import { quietState } from '#renderer/entity/panel-state.ts';
import { blankQuery } from '#renderer/state/drafts.ts';
import { openPivot } from '#renderer/state/navigation.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { TableHead } from '#renderer/ui/table-head.tsx';
import { useNow } from '#renderer/ui/use-now.ts';
import { VerdictChip } from '#renderer/ui/verdict-chip.tsx';
import { profileTime, toInstant, zoneLabel } from '#shared/model/clock.ts';
import type { Row } from '#shared/model/entities.ts';
import { plural } from '#shared/model/format.ts';
import type { Condition, ConditionGroup } from '#shared/query/tree.ts';
import { Sender, SubjectLink, textOf } from './mail-cells.tsx';

const SHOWN = 30;
const STEP_MS = 600_000;

/**
 * From here on, a received time is ahead of the clock: 10 to 20 minutes away, as clocks differ a little, and the same for
 * ten minutes, as it is part of the requests.
 */
const boundOf = (now: number): number => (Math.ceil(now / STEP_MS) + 1) * STEP_MS;

const received = (operator: string, time: number): Condition => ({
  field: 'received',
  operator,
  values: [new Date(time).toISOString()],
});
const LATEST = { body: mailPayload({ operator: 'and', conditions: [] }, SHOWN) };

/**
 * The newest emails. Those ahead of the clock are left out, as a sender may have made up their time, unless there are no
 * others.
 */
function useNewest(now: number) {
  const bound = boundOf(now);
  const latest = useRead('query.execute', LATEST);
  const isAhead =
    latest.data?.rows.some((row) => (toInstant(textOf(row, 'received')) ?? 0) >= bound) ?? false;
  const ahead: ConditionGroup = { operator: 'and', conditions: [received('after', bound - 1)] };
  const others: ConditionGroup = {
    operator: 'or',
    conditions: [received('before', bound), { field: 'received', operator: 'is_empty', values: [] }],
  };
  const counted = useRead('query.execute', isAhead ? { body: mailPayload(ahead, 0) } : null);
  const past = useRead('query.execute', isAhead ? { body: mailPayload(others, SHOWN) } : null);
  const onlyAhead = isAhead && past.data?.rows.length === 0;
  return {
    read: isAhead ? past : latest,
    mails: isAhead && !onlyAhead ? past.data?.rows : latest.data?.rows,
    /** Null if no email is ahead of the clock; its count is null if it is not known. */
    ahead: isAhead ? { filter: ahead, count: counted.data?.total_rows ?? null, isAll: onlyAhead } : null,
  };
}

/** How many emails are ahead of the clock, where they are, and a way to them. */
function Ahead({ filter, count, isAll }: NonNullable<ReturnType<typeof useNewest>['ahead']>): JSX.Element {
  const clock = useClock();
  const now = profileTime(useNow(), clock).replace(/:\d\d(?= )/, '');
  const emails = count === null ? 'Some emails' : plural(count, 'email');
  return (
    <p className="pp-caution-bar pp-home-ahead" role="note">
      {isAll
        ? `All emails have a time ahead of this machine’s clock (${now}), which may be wrong.`
        : `${emails} with a time ahead of this machine’s clock (${now}) ${count === 1 ? 'is' : 'are'} left out.`}{' '}
      {isAll ? null : (
        <LinkButton onClick={() => openPivot({ ...blankQuery('email'), name: 'Ahead of the clock', filter })}>
          Show
        </LinkButton>
      )}
    </p>
  );
}

function MailRow({ row }: { row: Row }): JSX.Element {
  const clock = useClock();
  return (
    <tr>
      <td className="pp-t2" title={profileTime(textOf(row, 'received'), clock)}>
        {profileTime(textOf(row, 'received'), clock).slice(0, 16)}
      </td>
      <td>
        <VerdictChip verdict={textOf(row, 'verdict')} compact />
      </td>
      <td>
        <SubjectLink row={row} />
      </td>
      <td>
        <Sender row={row} />
      </td>
    </tr>
  );
}

/** The newest emails of an evidence mailbox; each opens its profile. */
export function NewestMail({
  importing,
  incomplete,
}: {
  importing: boolean;
  /** Why not all of the evidence was read, or null if it was. */
  incomplete: string | null;
}): JSX.Element {
  const clock = useClock();
  const { read, mails, ahead } = useNewest(useNow());
  return (
    <Panel
      title="Newest mail"
      {...quietState(read)}
      rows={SHOWN}
      empty={
        mails?.length === 0
          ? importing
            ? { title: 'Import in progress', reason: 'Emails appear here as they are imported.' }
            : incomplete === null
              ? { title: 'No emails', reason: 'The import found no emails.' }
              : { title: 'No emails yet', reason: incomplete }
          : null
      }
    >
      {ahead && mails ? <Ahead {...ahead} /> : null}
      {mails ? (
        <table className="pp-home-table pp-home-mail">
          <TableHead heads={[`Received (${zoneLabel(clock)})`, 'Verdict', 'Subject', 'From']} />
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
