import type { JSX } from 'react';
import { AppStateMark } from '#renderer/ui/app-state.tsx';
import { FreshnessMark } from '#renderer/ui/freshness-mark.tsx';
import { QueryStatusMark } from '#renderer/ui/query-status.tsx';
import { SeverityMark } from '#renderer/ui/severity.tsx';
import { VerdictChip } from '#renderer/ui/verdict-chip.tsx';
import { ERROR_502, fresh } from './gallery-data.ts';

/** Every verdict, severity, state and freshness, as picture 07 shows them. */
export function Marks(): JSX.Element {
  return (
    <div className="gal-marks">
      <div>
        <span>
          <VerdictChip verdict="found" code="malw" solid />
        </span>
        <span>
          <VerdictChip verdict="found" code="hphsh" />
        </span>
        <span>
          <VerdictChip verdict="suspicious" code="phsh" />
        </span>
        <span>
          <VerdictChip verdict="found-no-click" />
        </span>
        <span>
          <VerdictChip verdict="spam" code="bulk" />
        </span>
        <span>
          <VerdictChip verdict="not-scanned" />
        </span>
        <span>
          <VerdictChip verdict="not-scanned" error />
        </span>
        <span>
          <VerdictChip verdict="clean" code="ok" />
        </span>
        <span>
          <VerdictChip verdict="grey_v2" />
        </span>
      </div>
      <div>
        {[5, 4, 3, 'low', 'lowest'].map((severity) => (
          <SeverityMark key={severity} severity={severity} />
        ))}
        <QueryStatusMark status="running" />
        <QueryStatusMark status="pause" />
        <QueryStatusMark status="stopped" />
        <QueryStatusMark status="degraded_ro" />
      </div>
      <div>
        <AppStateMark state="enabled" />
        <AppStateMark state="display_only" />
        <AppStateMark state="disabled" />
        <FreshnessMark freshness={fresh(2)} />
        <FreshnessMark freshness={fresh(26)} loading />
        <FreshnessMark freshness={fresh(49, true)} />
        <FreshnessMark freshness={fresh(49)} error={ERROR_502} />
        <FreshnessMark freshness={fresh(3 * 24 * 60)} short />
        <span className="pp-unknown">Not recorded</span>
      </div>
    </div>
  );
}
