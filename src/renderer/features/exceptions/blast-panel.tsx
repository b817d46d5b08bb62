import { Button } from '@blueprintjs/core';
import type { JSX } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { blankQuery } from '#renderer/state/drafts.ts';
import { openEmail, openPivot } from '#renderer/state/navigation.ts';
import { useClockSetting } from '#renderer/state/preferences.ts';
import { rowsPayload } from '#renderer/state/rows-payload.ts';
import { CautionBar } from '#renderer/ui/caution-bar.tsx';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import { FreshnessMark } from '#renderer/ui/freshness-mark.tsx';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { directionOf } from '#renderer/ui/text-direction.ts';
import { VerdictChip, verdictWord } from '#renderer/ui/verdict-chip.tsx';
import type { LintNote } from '#shared/exceptions/lint.ts';
import { hasUncomparedPath } from '#shared/exceptions/query.ts';
import type { ExceptionRule } from '#shared/exceptions/rule.ts';
import { ruleWords } from '#shared/exceptions/words.ts';
import { gridTime } from '#shared/model/clock.ts';
import { exact, formatTile, plural, visibleText } from '#shared/model/format.ts';
import { byWeight, isBlind, radiusWarning, radiusWords, uncheckedWords } from './labels.ts';
import type { Blast, BlastRadius } from './use-blast.ts';

const TONES = new Set(['found', 'found-no-click', 'suspicious', 'spam', 'clean', 'not-scanned']);
const tone = (verdict: string | null): string => (TONES.has(verdict ?? '') ? (verdict ?? '') : 'neutral');
const word = (verdict: string | null): string => (verdict === null ? 'Unknown' : verdictWord(verdict));

export function VerdictShares({ radius }: { radius: BlastRadius }): JSX.Element | null {
  if (radius.matches === 0) return null;
  return (
    <>
      <div className="pp-exc-bar" aria-hidden="true">
        {radius.verdicts.map(({ verdict, count }) => (
          <span key={verdict ?? ''} className={`pp-c-${tone(verdict)}`} style={{ flexGrow: count }} />
        ))}
      </div>
      <ul className="pp-exc-legend">
        {radius.verdicts.map(({ verdict, count }) => (
          <li key={verdict ?? ''}>
            <span className={`pp-swatch pp-c-${tone(verdict)}`} />
            {word(verdict)} <b>{exact(count)}</b>
          </li>
        ))}
      </ul>
    </>
  );
}

interface RuleNotesProps {
  notes: readonly LintNote[];
  radius: BlastRadius | null;
  list: ExceptionRule['list'];
  /** Null while comparing; false if some entries could not be compared. */
  isWhole: boolean | null;
  onShow?: (id: string) => void;
}

/** Warnings: duplicates, conflicts, clean mail that would be blocked, malicious mail that would be allowed. */
export function RuleNotes(props: RuleNotesProps): JSX.Element {
  const { notes, radius, list, isWhole, onShow } = props;
  const warning = radius === null ? null : radiusWarning(radius, list);
  return (
    <div className="pp-exc-notes">
      {warning === null ? null : (
        <CautionBar>
          <b>{warning}</b>
        </CautionBar>
      )}
      {byWeight(notes).map(({ code, message, others }) => (
        <div key={code} data-lint={code}>
          <CautionBar>
            {visibleText(message)}
            {onShow && others[0] !== undefined ? (
              <>
                {' '}
                <LinkButton onClick={() => onShow(others[0] ?? '')}>
                  {others.length === 1 ? 'Show' : 'Show first'}
                </LinkButton>
              </>
            ) : null}
          </CautionBar>
        </div>
      ))}
      {isWhole === false ? (
        <p className="pp-exc-hint">
          Not all entries of this tool could be read: duplicates and conflicts may be missing.
        </p>
      ) : null}
    </div>
  );
}

export function openMatches(rule: ExceptionRule, { query }: Pick<BlastRadius, 'query'>): void {
  if (query === null) return;
  openPivot({ ...blankQuery(), name: ruleWords(rule).slice(0, 80), filter: query });
}

function Matches({ radius }: { radius: BlastRadius }): JSX.Element {
  const clock = useClockSetting();
  return (
    <ul className="pp-exc-matches" aria-label="Matching emails">
      {radius.sample.map((email, index) => (
        <li key={email.entityId || index}>
          <button
            type="button"
            disabled={email.entityId === ''}
            title={visibleText(
              `${email.subject ?? ''}\nFrom ${email.from ?? 'unknown'}\nTo ${email.to ?? 'unknown'}`,
            )}
            onClick={() => openEmail(email.saas ?? 'all', email.entityId, email.subject ?? undefined)}
          >
            <time>{email.received === null ? 'Unknown' : gridTime(email.received, clock).slice(0, -3)}</time>
            <span>{email.verdict === null ? '–' : <VerdictChip verdict={email.verdict} compact />}</span>
            <span className="pp-ellipsis" dir={directionOf(email.subject ?? '')}>
              {visibleText(email.subject || 'No subject')}
            </span>
            <span className="pp-ellipsis pp-t3">{visibleText((email.to ?? '').split('@', 1)[0] ?? '')}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** How many emails the query of "Run as query" finds on the service, whatever this machine has. */
export function ServiceCount({
  rule,
  radius,
}: {
  rule: ExceptionRule;
  radius: BlastRadius;
}): JSX.Element | null {
  const { query } = radius;
  const { data, freshness, error, loading, revalidating } = useRead(
    'query.execute',
    query && { body: rowsPayload('email', query, 0) },
  );
  if (query === null) return null;
  const host = rule.conditions.some(hasUncomparedPath) ? '. Only the host of the link was compared' : '';
  const words = data
    ? `${plural(data.total_rows, 'email')}, whatever their age${host}.`
    : error
      ? `not checked. ${error.message}`
      : 'counting…';
  return (
    <p className="pp-exc-hint">
      On the service: {visibleText(words)}{' '}
      {data ? (
        <FreshnessMark short freshness={freshness} loading={loading || revalidating} error={error} />
      ) : null}
    </p>
  );
}

/** How many emails on this machine the rule would match, with their verdicts, and what could not be checked. */
export function BlastPanel(
  props: Omit<RuleNotesProps, 'radius' | 'list'> & { blast: Blast; rule: ExceptionRule; isValid: boolean },
): JSX.Element {
  const { blast, rule, isValid, ...notes } = props;
  const { radius, error, loading } = blast;
  const current = isValid ? radius : null;
  return (
    <section className="pp-exc-blast" aria-labelledby="exc-blast" aria-busy={loading}>
      <header>
        <h3 id="exc-blast">Blast radius</h3>
        {current?.fetchedAt ? (
          <FreshnessMark
            short
            freshness={{ fetchedAt: current.fetchedAt, source: 'cache', offline: false }}
          />
        ) : null}
        <span className="pp-t3 pp-small">
          {current && !isBlind(current)
            ? `${plural(current.checked.emails, 'email')} on this machine, last 6 months`
            : ''}
        </span>
      </header>
      {error ? <ErrorBar error={error} onRetry={blast.retry} /> : null}
      {!isValid ? (
        <p className="pp-exc-hint">Complete the rule to see its matches.</p>
      ) : current === null ? (
        error ? null : (
          <p className="pp-exc-hint">Counting…</p>
        )
      ) : isBlind(current) ? (
        <p className="pp-exc-hint">
          <b>Not checked.</b> No data on this machine to compare with this rule.
        </p>
      ) : (
        <div className={loading ? 'pp-exc-old' : ''}>
          <p className="pp-exc-count" data-matches={current.matches} title={exact(current.matches)}>
            <strong>
              {current.matches < 100_000 ? exact(current.matches) : formatTile(current.matches)}
            </strong>
            <span>{radiusWords(current, rule.list)}</span>
          </p>
          <VerdictShares radius={current} />
        </div>
      )}
      {current ? <ServiceCount rule={rule} radius={current} /> : null}
      {isValid ? <RuleNotes {...notes} radius={radius} list={rule.list} /> : null}
      {current && current.unchecked.length > 0 ? (
        <details className="pp-exc-unchecked">
          <summary>Not checked: {exact(current.unchecked.length)} more</summary>
          <ul>
            {uncheckedWords(current).map((words) => (
              <li key={words}>{visibleText(words)}</li>
            ))}
          </ul>
        </details>
      ) : null}
      {current?.query ? (
        <Button
          size="small"
          className="pp-exc-query"
          text="Run as query"
          onClick={() => openMatches(rule, current)}
        />
      ) : null}
      {current ? <Matches radius={current} /> : null}
    </section>
  );
}
