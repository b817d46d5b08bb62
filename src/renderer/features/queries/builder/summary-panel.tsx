import { Clipboard, Code } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { showFailure } from '#renderer/state/show-failure.ts';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import { FreshnessMark } from '#renderer/ui/freshness-mark.tsx';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { showToast } from '#renderer/ui/toaster.ts';
import { useNow } from '#renderer/ui/use-now.ts';
import type { Freshness } from '#shared/bridge/freshness.ts';
import { exact, formatTile, plural } from '#shared/model/format.ts';
import type { Segment } from '#shared/query/describe.ts';
import type { Problem } from '#shared/query/validate.ts';
import { COPY_FAILED } from '../labels.ts';
import { QuerySummary } from '../query-summary.tsx';
import type { LiveCount } from './use-count.ts';

/** "Counted 1 s ago": seconds while they are few, then the usual mark. */
function Counted({ freshness, counting }: { freshness: Freshness | null; counting: boolean }): JSX.Element {
  const now = useNow('second');
  const age =
    freshness?.fetchedAt == null ? null : Math.max(0, Math.round((now - freshness.fetchedAt) / 1000));
  if (!counting && age !== null && age < 60 && freshness?.offline === false)
    return (
      <span className="pp-fresh pp-fresh-now">
        <svg width={8} height={8} viewBox="0 0 8 8" aria-hidden="true">
          <circle cx={4} cy={4} r={3} fill="currentColor" />
        </svg>
        Counted {age} s ago
      </span>
    );
  return <FreshnessMark freshness={freshness} loading={counting} loadingText="counting" prefix="Counted" />;
}

const OFFLINE: readonly string[] = ['offline', 'not-cached'];

function copy(words: string): void {
  windowBridge()
    .call('clipboard.write', { text: words })
    .then(
      () => showToast({ intent: 'success', title: 'Summary copied' }),
      (error: unknown) => showFailure(COPY_FAILED, error),
    );
}

export function SummaryPanel(props: {
  segments: readonly Segment[];
  /** The full text: no value shortened, every group in brackets. */
  fullSummary: string;
  count: LiveCount;
  problems: readonly Problem[];
  /** The conditions are edited as JSON. */
  raw: boolean;
  onRaw: (raw: boolean) => void;
}): JSX.Element {
  const { segments, fullSummary, count, problems, raw, onRaw } = props;
  const saved = count.freshness?.offline === true;
  const problem = problems[0];
  return (
    <aside className="pp-words" aria-label="Summary">
      <div className="pp-words-head">
        <span className="pp-caption pp-t3">Summary</span>
        <IconButton
          small
          icon={<Clipboard size={12} />}
          label="Copy full summary"
          onClick={() => copy(fullSummary)}
        />
        <IconButton
          small
          icon={<Code size={12} />}
          label={raw ? 'Edit as rows' : 'Edit as JSON'}
          active={raw}
          onClick={() => onRaw(!raw)}
        />
        <span className="pp-spacer" />
        {problem ? null : count.error && count.total === null ? (
          <FreshnessMark freshness={null} error={count.error} />
        ) : (
          <Counted freshness={count.freshness} counting={count.counting} />
        )}
      </div>
      <p className="pp-words-text" title={fullSummary}>
        <QuerySummary segments={segments} />
      </p>
      <div className="pp-words-count" aria-live="polite">
        {problem ? (
          <>
            <span className="pp-caution pp-strong">
              {plural(problems.length, 'issue to fix', 'issues to fix')}
            </span>
            <span className="pp-small pp-t2">{problem.message}</span>
          </>
        ) : count.total === null ? (
          <>
            <span className="pp-count pp-t3">–</span>
            <span className="pp-caption pp-t3">
              {count.error === null
                ? 'Not counted yet'
                : OFFLINE.includes(count.error.code)
                  ? 'Offline: not counted'
                  : count.error.message}
            </span>
          </>
        ) : (
          <>
            <span className="pp-count" data-count={count.total}>
              {exact(count.total)}
            </span>
            <span className="pp-caption pp-t3">
              {saved || count.counting ? 'matched at last count' : 'match now'}
              {count.of === null ? '' : <span title={exact(count.of)}>, of {formatTile(count.of)}</span>}
            </span>
          </>
        )}
      </div>
    </aside>
  );
}
