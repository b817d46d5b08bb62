import type { JSX, ReactNode } from 'react';
import type { Read } from '#renderer/bridge/use-read.ts';
import type { KnownRow } from '#renderer/state/known-rows.ts';
import { FreshnessMark } from '#renderer/ui/freshness-mark.tsx';
import { PageHeader } from '#renderer/ui/page-header.tsx';
import { Skeleton, useDelayed } from '#renderer/ui/skeleton.tsx';
import { VerdictChip } from '#renderer/ui/verdict-chip.tsx';
import type { ReadEndpoint } from '#shared/api/catalogue.ts';
import type { ProfileRef } from '#shared/api/profile-pages.ts';
import { visibleText } from '#shared/model/format.ts';
import { OfflinePinMark } from './offline-pins.tsx';
import { ageOf } from './panel-state.ts';
import { HistoryButtons } from './record-navigation.tsx';
import type { EntityStack } from './use-entity-stack.ts';
import type { VerdictLine } from './verdict-line.ts';
import './entity.css';

/** Without tool verdicts only the service's own verdict is left; it is shown as the service's, never as ours. */
function WithoutTools(props: {
  noun: string;
  loading: boolean;
  word: string | null | undefined;
  known: KnownRow | null;
}): JSX.Element {
  const { noun, loading, word, known } = props;
  const late = useDelayed(loading);
  if (known?.verdict)
    return (
      <>
        <VerdictChip solid verdict={known.verdict} code={known.code} />
        <span className="pp-ellipsis">
          {known.from ? `From ${visibleText(known.from)}. ` : ''}As listed in “{visibleText(known.list)}”;
          tool verdicts {loading ? 'have not loaded yet' : 'could not be loaded'}.
        </span>
      </>
    );
  if (loading) return late ? <Skeleton width={420} tall /> : <span />;
  return (
    <>
      <VerdictChip verdict="unknown" word="Verdict unknown" />
      <span className="pp-ellipsis">
        Tool verdicts couldn’t be loaded.
        {word
          ? ` The service’s own verdict is “${visibleText(word)}”.`
          : ` This does not mean the ${noun} is clean.`}
      </span>
    </>
  );
}

const TONES = { plain: undefined, caution: 'pp-caution', danger: 'pp-danger' } as const;

function Line({ line }: { line: VerdictLine }): JSX.Element {
  const text = visibleText(line.parts.map((part) => part.text).join(''));
  return (
    <>
      <span className="en-nowrap">
        <VerdictChip solid verdict={line.verdict} word={line.word} code={line.code} error={line.error} />
      </span>
      <span className="pp-ellipsis" title={text}>
        {line.parts.map((part) => (
          <span key={part.text} className={TONES[part.tone]}>
            {visibleText(part.text)}
          </span>
        ))}
      </span>
    </>
  );
}

interface EntityHeadProps {
  noun: string;
  tabId: string;
  of: ProfileRef;
  title: string;
  icon: JSX.Element;
  profile: Omit<Read<ReadEndpoint>, 'data'>;
  tools: EntityStack;
  /** Null until the tools have answered. */
  line: VerdictLine | null;
  /** The service's own verdict. */
  word: string | null | undefined;
  /** Its values in the list it was opened from. */
  known?: KnownRow | null;
  actions: ReactNode;
}

export function EntityHead(props: EntityHeadProps): JSX.Element {
  const { profile, line, tools } = props;
  return (
    <>
      <PageHeader
        title={visibleText(props.title)}
        longTitle
        icon={props.icon}
        freshness={<FreshnessMark {...ageOf(profile)} />}
        filters={
          <>
            <HistoryButtons tabId={props.tabId} />
            <OfflinePinMark profile={props.of} />
          </>
        }
        actions={props.actions}
      />
      <div className="en-verdict" {...(line ? { 'data-verdict': line.verdict } : {})}>
        {line ? (
          <Line line={line} />
        ) : (
          <WithoutTools
            noun={props.noun}
            loading={tools.scans.loading}
            word={props.word}
            known={props.known ?? null}
          />
        )}
      </div>
    </>
  );
}
