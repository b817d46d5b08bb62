import { Clipboard, Layers, SearchText } from '@blueprintjs/icons';
import { type JSX, useMemo } from 'react';
import { type Read, useRead } from '#renderer/bridge/use-read.ts';
import { type Command, CommandButton, useCommands } from '#renderer/commands/command.tsx';
import { CAMPAIGN, hint } from '#renderer/commands/keys.ts';
import { EntityParts } from '#renderer/entity/entity-parts.tsx';
import { FactsPanel } from '#renderer/entity/facts-panel.tsx';
import { defangedText } from '#renderer/entity/labels.ts';
import { ageOf, panelState } from '#renderer/entity/panel-state.ts';
import { HistoryButtons, recordHints, useRecord } from '#renderer/entity/record-navigation.tsx';
import { openIndicators } from '#renderer/state/indicator-order.ts';
import { openPivot } from '#renderer/state/navigation.ts';
import type { ScreenProps } from '#renderer/state/tab-context.ts';
import { useTabPart } from '#renderer/state/tabs.ts';
import type { Fact } from '#renderer/ui/facts.tsx';
import { FreshnessMark } from '#renderer/ui/freshness-mark.tsx';
import { PageHeader } from '#renderer/ui/page-header.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import type { TabInfo } from '#renderer/ui/tabs-strip.tsx';
import { type ClockSetting, profileTime } from '#shared/model/clock.ts';
import type { CampaignProfile } from '#shared/model/entities.ts';
import { exact, plural, visibleText } from '#shared/model/format.ts';
import { QueryRows } from '../queries/query-rows.tsx';
import { useQueryConfig } from '../queries/use-config.ts';
import { campaignQuery } from './campaign-query.ts';
import { CampaignTimeline } from './campaign-timeline.tsx';
import { flaggedWords, PART_LABELS, PARTS, type Part, SHARED } from './labels.ts';
import { ValueList } from './value-list.tsx';
import './campaign.css';

type CampaignRead = Read<'campaigns.get'>;

function factsOf(campaign: CampaignProfile, clock: ClockSetting): Fact[] {
  const time = (instant: string | null | undefined) => (instant ? profileTime(instant, clock) : null);
  return [
    { label: 'Emails', value: exact(campaign.emails), note: flaggedWords(campaign) },
    { label: 'Senders', value: exact(campaign.senders.total_rows) },
    { label: 'Recipients', value: exact(campaign.recipients.total_rows) },
    { label: 'First', value: time(campaign.first) },
    { label: 'Last', value: time(campaign.last) },
    { label: 'Worst score', value: campaign.score == null ? null : String(campaign.score) },
  ];
}

interface CountedLine {
  text: string;
  emails: number;
}

function Counted(props: {
  title: string;
  read: CampaignRead;
  lines: readonly CountedLine[] | undefined;
  none: string;
}): JSX.Element {
  const { title, read, lines, none } = props;
  return (
    <Panel
      title={title}
      {...panelState(read)}
      rows={4}
      shownInstead="Showing an older list."
      empty={lines?.length === 0 ? { title: none } : null}
    >
      {lines?.map(({ text, emails }) => (
        <div key={text} className="pp-panel-row ca-line" title={text}>
          <span className="pp-spacer">
            <bdi>{text}</bdi>
          </span>
          <b title={plural(emails, 'email')}>{exact(emails)}</b>
        </div>
      ))}
    </Panel>
  );
}

function Overview({ read, id }: { read: CampaignRead; id: string }): JSX.Element {
  const config = useQueryConfig('email', null);
  const name = read.data?.name;
  const query = useMemo(() => (name === undefined ? null : campaignQuery(name)), [name]);
  const { data } = read;
  return (
    <div className="ca-overview">
      <div className="ca-side">
        <FactsPanel read={read} noun="campaign" factsOf={(campaign, { clock }) => factsOf(campaign, clock)} />
        <Counted
          title="What its emails share"
          read={read}
          lines={data?.shared.map(({ kind, emails }) => ({
            text: SHARED[kind] ?? visibleText(kind),
            emails,
          }))}
          none="Nothing in common any more"
        />
        <Counted
          title="Reasons"
          read={read}
          lines={data?.reasons.map(({ value, emails }) => ({ text: defangedText(value), emails }))}
          none="The checks found nothing against them"
        />
      </div>
      <div className="ca-main">
        <CampaignTimeline read={read} />
        <QueryRows
          title="Emails"
          first="worst"
          query={query}
          config={config}
          source={query === null ? read : config}
          layoutKey={`campaign-emails-${id}`}
        />
      </div>
    </div>
  );
}

function useActions(campaign: CampaignProfile | undefined): Command[] {
  const why = campaign === undefined ? 'The campaign has not loaded.' : null;
  const copy = (defanged: boolean) => {
    const { filter } = campaignQuery(campaign?.name ?? '');
    if (campaign && filter)
      openIndicators({ source: { kind: 'condition', condition: filter }, of: campaign.name, defanged });
  };
  const commands: Command[] = [
    { ...CAMPAIGN.copy, label: 'Copy IOCs', icon: Clipboard, why, run: () => copy(true) },
    {
      ...CAMPAIGN.query,
      label: 'Open as query',
      icon: SearchText,
      why,
      run: () => campaign && openPivot(campaignQuery(campaign.name)),
    },
  ];
  useCommands([...commands, { ...CAMPAIGN.copyRaw, why, run: () => copy(false) }]);
  return commands;
}

const partsOf = (campaign: CampaignProfile | undefined): TabInfo<Part>[] =>
  PARTS.map((id) => ({
    id,
    label: PART_LABELS[id],
    count: id === 'overview' ? null : campaign?.[id].total_rows,
  }));

const HINTS = recordHints([hint('query', CAMPAIGN.query), hint('copy IOCs', CAMPAIGN.copy)]);

/** The page of a campaign: when, from whom, to whom, what its emails share, and the emails. */
export default function CampaignScreen({ route, tabId }: ScreenProps<'campaign'>): JSX.Element {
  const { campaignId } = route;
  const read = useRead(
    'campaigns.get',
    useMemo(() => ({ params: { id: campaignId } }), [campaignId]),
  );
  const part = useTabPart<Part>(tabId, PARTS);
  const { data } = read;
  const title = visibleText(data?.name ?? route.title ?? 'Campaign');
  const commands = useActions(data);
  useRecord(tabId, 'campaign', data?.name, false, HINTS);
  return (
    <>
      <PageHeader
        title={title}
        longTitle
        icon={<Layers size={16} />}
        freshness={<FreshnessMark {...ageOf(read)} />}
        filters={<HistoryButtons tabId={tabId} />}
        actions={commands.map((command) => <CommandButton key={command.text} command={command} />)}
      />
      <EntityParts
        noun="campaign"
        tabId={tabId}
        parts={partsOf(data)}
        part={part}
        render={(shown) =>
          shown === 'overview' ? (
            <Overview key={campaignId} read={read} id={campaignId} />
          ) : (
            <ValueList key={shown} part={shown} read={read} />
          )
        }
      />
    </>
  );
}
