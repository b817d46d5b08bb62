import { Button } from '@blueprintjs/core';
import { Flag } from '@blueprintjs/icons';
import { type JSX, type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { useAct } from '#renderer/bridge/use-call.ts';
import { openCampaignOf } from '#renderer/entity/campaign.ts';
import { defangedText } from '#renderer/entity/labels.ts';
import { panelMenu } from '#renderer/entity/panel-menu.tsx';
import { panelState } from '#renderer/entity/panel-state.ts';
import type { ToolRow } from '#renderer/entity/stack-rows.ts';
import { useBranding } from '#renderer/entity/use-entity-stack.ts';
import { currentConnection } from '#renderer/state/connection.ts';
import { sendChange } from '#renderer/state/send-change.ts';
import { attempt } from '#renderer/state/show-failure.ts';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { RisingBars } from '#renderer/ui/severity.tsx';
import { VerdictChip } from '#renderer/ui/verdict-chip.tsx';
import type { EmailEvidence, EmailFinding } from '#shared/model/entities.ts';
import { CHECK_TOOLS, type CheckTool, checkToolId } from '#shared/model/enums.ts';
import { plural, visibleText } from '#shared/model/format.ts';
import { NOTHING_FOUND } from '#shared/model/verdict.ts';
import { toolLabel } from '#shared/model/white-label.ts';
import { isSame, partOf, placeWords, reasonCounts, type Strength, sides, strengthOf } from './reasons.ts';
import { openRuleFrom } from './rule-from.ts';
import type { EmailReads } from './use-email.ts';

const STRENGTHS: Readonly<Record<Strength, { word: string; bars: number }>> = {
  strong: { word: 'Strong', bars: 3 },
  medium: { word: 'Medium', bars: 2 },
  weak: { word: 'Weak', bars: 1 },
};

const STRENGTH_HEIGHTS = [4, 8, 12];

function StrengthMark({ strength }: { strength: Strength }): JSX.Element {
  const { word, bars } = STRENGTHS[strength];
  return (
    <span className="em-strength" data-strength={strength}>
      <RisingBars heights={STRENGTH_HEIGHTS} filled={bars} />
      {word}
    </span>
  );
}

/** Hostile words stand between quotation marks; isolated, they cannot reorder the sentence around them. */
export function Sentence({ text }: { text: string }): JSX.Element {
  const pieces = defangedText(text).split(/(?<=“)(.*?)(?=”)/);
  let start = 0;
  return (
    <span className="em-reason-sentence" dir="ltr">
      {pieces.map((piece, index) => {
        const key = start;
        start += piece.length + 1;
        return index % 2 === 1 ? <bdi key={key}>{piece}</bdi> : <span key={key}>{piece}</span>;
      })}
    </span>
  );
}

/** Opens the place of a reason. */
export type OpenReason = (finding: EmailFinding) => void;

const kindOf = (tool: string): CheckTool | undefined => CHECK_TOOLS.find((candidate) => candidate === tool);

function Kind({ tool }: { tool: string }): JSX.Element {
  const branding = useBranding();
  const kind = kindOf(tool);
  return <>{kind === undefined ? visibleText(tool) : toolLabel(checkToolId(kind), branding)}</>;
}

/** Up and Down move between the reasons, Home and End to the first and last. */
function onArrows(event: KeyboardEvent<HTMLButtonElement>): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const list = event.currentTarget.closest('.em-shows');
  const all = [...(list?.querySelectorAll<HTMLButtonElement>('button.em-reason') ?? [])];
  const index = all.indexOf(event.currentTarget);
  const to = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: all.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  all[Math.min(all.length - 1, Math.max(0, to))]?.focus();
}

interface MarkProps {
  entityId: string;
  finding: EmailFinding;
}

/** Marks a finding as a false positive, which stays visible but is not part of the score, or undoes that. */
function MarkButton({ entityId, finding }: MarkProps): JSX.Element {
  const { check, place, sentence, false_positive: isMarked } = finding;
  const { run: toggle, pending } = useAct(async () => {
    const connection = currentConnection();
    if (!connection) return;
    await attempt(isMarked ? 'Still marked as false positive' : 'Not marked as false positive', async () => {
      await sendChange(connection.id, 'evidence.mark', {
        body: { entity_id: entityId, check, place, sentence, false_positive: !isMarked },
        about: sentence.slice(0, 300),
      });
    });
  });
  return (
    <Button
      size="small"
      variant="minimal"
      text={isMarked ? 'Count again' : 'False positive'}
      title={isMarked ? 'Undo the false positive' : 'Keep it visible, but not in the score'}
      loading={pending}
      onClick={() => void toggle()}
    />
  );
}

interface ReasonProps {
  email: EmailReads;
  finding: EmailFinding;
  /** Reasons of several kinds stand together. */
  withKind: boolean;
  isLast: boolean;
  onOpen: OpenReason;
}

function Reason({ email, finding, withKind, isLast, onOpen }: ReasonProps): JSX.Element {
  const button = useRef<HTMLButtonElement>(null);
  // The reason that was followed has the focus again after the way back.
  useEffect(() => {
    if (isLast) button.current?.focus();
  }, [isLast]);
  const content = (
    <>
      <Sentence text={finding.sentence} />
      <span className="em-reason-place pp-t3">
        {withKind ? (
          <>
            <Kind tool={finding.tool} />
            {' · '}
          </>
        ) : null}
        {finding.weight < 0 && !withKind ? 'For it · ' : null}
        <bdi>{placeWords(finding)}</bdi>
        {finding.false_positive ? ' · False positive, not counted' : null}
      </span>
      <StrengthMark strength={strengthOf(finding)} />
    </>
  );
  return (
    <li
      data-check={finding.check}
      data-side={finding.weight > 0 ? 'against' : 'for'}
      data-struck={finding.false_positive ? '' : undefined}
    >
      {partOf(finding) === null ? (
        <div className="em-reason">{content}</div>
      ) : (
        <button
          ref={button}
          type="button"
          className="em-reason"
          onClick={() => onOpen(finding)}
          onKeyDown={onArrows}
        >
          {content}
        </button>
      )}
      {finding.false_positive !== undefined && finding.weight > 0 ? (
        <MarkButton entityId={email.entityId} finding={finding} />
      ) : null}
      {finding.weight < 0 || email.profile.data?.provenance === undefined ? null : (
        <IconButton
          small
          icon={<Flag size={12} />}
          label="Rule from this…"
          onClick={() => openRuleFrom(finding, email)}
        />
      )}
    </li>
  );
}

interface ReasonListProps {
  email: EmailReads;
  label: string;
  findings: readonly EmailFinding[];
  withKind?: boolean;
  /** The reason that was followed last. */
  last: EmailFinding | null;
  onOpen: OpenReason;
}

function ReasonList({
  email,
  label,
  findings,
  withKind = false,
  last,
  onOpen,
}: ReasonListProps): JSX.Element {
  return (
    <ul className="em-reasons" aria-label={label}>
      {findings.map((finding) => (
        <Reason
          key={`${finding.check} ${finding.place.name} ${finding.place.text}`}
          email={email}
          finding={finding}
          withKind={withKind}
          isLast={last !== null && isSame(finding, last)}
          onOpen={onOpen}
        />
      ))}
    </ul>
  );
}

const NOT_CLEAN = 'That does not make it clean.';

export function Unchecked({ sentences }: { sentences: readonly string[] }): JSX.Element | null {
  if (sentences.length === 0) return null;
  return (
    <section aria-label="Not checked">
      <h3 className="em-reasons-head">Not checked</h3>
      <ul className="em-unchecked pp-caution">
        {sentences.map((sentence) => (
          <li key={sentence}>
            <bdi>{defangedText(sentence)}</bdi>
          </li>
        ))}
      </ul>
    </section>
  );
}

const NoTool = () => (
  <p className="em-no-tool pp-t2">
    No security tool has seen this mail. These are Parapet’s own checks of its content.
  </p>
);

export interface ReasonsProps {
  email: EmailReads;
  last: EmailFinding | null;
  onOpen: OpenReason;
}

function EvidencePanel(props: {
  email: EmailReads;
  className?: string;
  children: (evidence: EmailEvidence) => ReactNode;
}): JSX.Element {
  const { email, className, children } = props;
  const evidence = email.profile.data?.provenance;
  const counts = evidence ? reasonCounts(evidence) : null;
  const campaign = email.profile.data?.campaign;
  return (
    <Panel
      title="What this mail shows"
      {...(counts === null ? {} : { count: counts })}
      {...panelState(email.profile)}
      rows={6}
      shownInstead="Showing an older copy."
      notKnown="What the checks found is unknown: this does not mean the email is clean."
      {...(className === undefined ? {} : { className })}
      menu={panelMenu(email.profile.refresh)}
    >
      {evidence ? (
        <div className="em-shows">
          <NoTool />
          {campaign ? (
            <p className="em-no-tool">
              In a campaign of {plural(campaign.emails, 'email')}:{' '}
              <LinkButton onClick={() => openCampaignOf({ campaign })}>
                <bdi>{visibleText(campaign.name)}</bdi>
              </LinkButton>
            </p>
          ) : null}
          {evidence.score === null ? (
            <p className="en-note pp-caution">It has not been checked. {NOT_CLEAN}</p>
          ) : (
            children(evidence)
          )}
          <Unchecked sentences={evidence.unchecked} />
        </div>
      ) : null}
    </Panel>
  );
}

/** Reasons against the mail, worst first, then those for it. */
export function BothSides(props: ReasonsProps & { findings: readonly EmailFinding[] }): JSX.Element {
  const { email, findings, last, onOpen } = props;
  const { against, inFavour } = sides(findings);
  const list = { email, withKind: true, last, onOpen };
  return (
    <>
      {against.length === 0 ? (
        <p className="en-note">The checks found nothing against it. {NOT_CLEAN}</p>
      ) : (
        <ReasonList {...list} label="Against it" findings={against} />
      )}
      {inFavour.length === 0 ? null : (
        <>
          <h3 className="em-reasons-head">For it</h3>
          <ReasonList {...list} label="For it" findings={inFavour} />
        </>
      )}
    </>
  );
}

/** What the checks found in a mail of evidence, and what they could not look at. */
export function ReasonsPanel(props: ReasonsProps): JSX.Element {
  return (
    <EvidencePanel email={props.email}>
      {({ findings }) => <BothSides {...props} findings={findings} />}
    </EvidencePanel>
  );
}

/** The code of a gateway; that of other checks is the verdict’s word. */
const codeOf = ({ derived: { verdict, rawCode } }: ToolRow): string | null =>
  rawCode === verdict ? null : rawCode;

/** A check that had nothing to look at says so. */
function withoutFindings({ profile, attachments }: EmailReads, tool: CheckTool): string {
  if (tool === 'provider') return 'No gateway wrote a result into its headers.';
  if (tool === 'attachments' && attachments.data?.rows.length === 0) return 'It has no attachments to check.';
  if (tool === 'rules') return 'No rule of yours matched.';
  if (tool === 'links' && profile.data?.links?.length === 0) return 'It has no links to check.';
  return `No reason. ${NOT_CLEAN}`;
}

/** The kinds of checks, each with its verdict and what it found. */
export function ChecksPanel({ email, last, onOpen }: ReasonsProps): JSX.Element {
  const rows = email.tools.stack?.rows;
  return (
    <EvidencePanel email={email} className="en-fill">
      {({ findings }) =>
        CHECK_TOOLS.map((tool) => {
          const row = rows?.find((finding) => finding.tool === checkToolId(tool));
          const { against, inFavour } = sides(findings.filter((finding) => finding.tool === tool));
          const all = [...against, ...inFavour];
          return (
            <section key={tool} className="em-check" data-tool={checkToolId(tool)}>
              <h3 className="em-reasons-head">
                <Kind tool={tool} />
                {row ? (
                  <VerdictChip
                    verdict={row.derived.verdict}
                    code={codeOf(row)}
                    {...(against.length > 0 && row.derived.verdict === NOTHING_FOUND
                      ? { word: 'Nothing that decides' }
                      : {})}
                  />
                ) : null}
              </h3>
              {all.length > 0 ? (
                <ReasonList
                  email={email}
                  label={`Found by checks: ${tool}`}
                  findings={all}
                  last={last}
                  onOpen={onOpen}
                />
              ) : (
                <p className="en-note">
                  {row?.summary ? defangedText(row.summary) : withoutFindings(email, tool)}
                </p>
              )}
            </section>
          );
        })
      }
    </EvidencePanel>
  );
}
