import type { JSX } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { defangedText } from '#renderer/entity/labels.ts';
import { WORST_FIRST } from '#renderer/entity/mail-payload.ts';
import { quietState } from '#renderer/entity/panel-state.ts';
import { blankQuery } from '#renderer/state/drafts.ts';
import { openCampaign, openPivot } from '#renderer/state/navigation.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { numberHead, TableHead } from '#renderer/ui/table-head.tsx';
import { directionOf } from '#renderer/ui/text-direction.ts';
import { gridTime } from '#shared/model/clock.ts';
import type { Campaign } from '#shared/model/entities.ts';
import { exact, plural, visibleText } from '#shared/model/format.ts';
import type { ConditionGroup } from '#shared/query/tree.ts';

const SHOWN = 8;
const TITLE = 'Campaigns that deserve a look';
const LIST = { query: { size: SHOWN } };
const IN_CAMPAIGNS: ConditionGroup = {
  operator: 'and',
  conditions: [{ field: 'campaign', operator: 'is_not_empty', values: [] }],
};

function CampaignRow({ campaign }: { campaign: Campaign }): JSX.Element {
  const clock = useClock();
  const { id, emails, flagged, recipients, first, last } = campaign;
  const name = visibleText(campaign.name);
  const reason = campaign.reason ? defangedText(campaign.reason) : '';
  const time = (instant: string | null | undefined) => (instant ? gridTime(instant, clock) : 'Unknown');
  return (
    <tr>
      <td>
        <LinkButton
          className="pp-ellipsis"
          title={name}
          dir={directionOf(name)}
          onClick={() => openCampaign(id, name)}
        >
          {name}
        </LinkButton>
        <span className="pp-ellipsis pp-t2 pp-home-reason" title={reason} dir={directionOf(reason)}>
          {reason || <span className="pp-unknown">No reason is recorded</span>}
        </span>
      </td>
      <td className="pp-num" title={`${exact(flagged)} of ${plural(emails, 'email')} found or suspicious`}>
        {exact(flagged)} of {exact(emails)}
      </td>
      <td className="pp-num">{exact(recipients)}</td>
      <td>
        {time(first)}
        <span className="pp-t2 pp-home-reason">{time(last)}</span>
      </td>
    </tr>
  );
}

/** Groups of similar emails of which several are found or suspicious, with their strongest reasons. */
export function Campaigns({ isPartial }: { isPartial: boolean }): JSX.Element {
  const list = useRead('campaigns.list', LIST);
  const { data } = list;
  const deserving = data?.deserving ?? 0;
  const total = data?.total_rows ?? 0;
  const rows = data?.rows.slice(0, Math.min(SHOWN, deserving));
  const soFar = isPartial ? ' so far' : '';
  const others = `${plural(total - deserving, 'other group', 'other groups')} of similar emails`;
  return (
    <Panel
      title={TITLE}
      count={data ? `${exact(deserving)}${soFar}` : ''}
      {...quietState(list)}
      rows={SHOWN}
      notKnown="This does not mean that there are none."
      actions={
        total > 0 ? (
          <LinkButton
            className="pp-small"
            title={`Emails of all campaigns, with ${others}`}
            onClick={() =>
              openPivot({
                ...blankQuery('email'),
                name: 'Emails in campaigns',
                filter: IN_CAMPAIGNS,
                sort: [WORST_FIRST],
              })
            }
          >
            Show all {exact(total)}
          </LinkButton>
        ) : null
      }
      empty={
        data && deserving === 0
          ? {
              title: `None${soFar}`,
              reason:
                total === 0
                  ? 'No emails share a text, links, attachments or structure.'
                  : `${plural(total, 'group')} of similar emails, in which the checks found nothing. That does not make them clean.`,
            }
          : null
      }
    >
      {rows && rows.length > 0 ? (
        <table className="pp-home-table pp-home-mail pp-home-campaigns" aria-label={TITLE}>
          <TableHead
            heads={[
              'Campaign and strongest reason',
              numberHead('Flagged'),
              numberHead('Recipients'),
              'First and last',
            ]}
          />
          <tbody>
            {rows.map((campaign) => (
              <CampaignRow key={campaign.id} campaign={campaign} />
            ))}
          </tbody>
        </table>
      ) : null}
    </Panel>
  );
}
