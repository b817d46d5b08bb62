import type { JSX } from 'react';
import { panelMenu } from '#renderer/entity/panel-menu.tsx';
import { panelState } from '#renderer/entity/panel-state.ts';
import { Panel } from '#renderer/ui/panel.tsx';
import { VerdictChip } from '#renderer/ui/verdict-chip.tsx';
import { disagree } from '#shared/checks/disagreement.ts';
import { NOTHING_FOUND } from '#shared/model/verdict.ts';
import { reasonCounts } from './reasons.ts';
import { BothSides, type ReasonsProps, Unchecked } from './reasons-panel.tsx';
import { useOwnChecks } from './use-own-checks.ts';

/** What Parapet's own checks find in a tenant's mail, beside the verdict of its service. */
export function OwnChecksPanel(props: ReasonsProps): JSX.Element {
  const { email } = props;
  const { profile, headers, body } = email;
  const assessment = useOwnChecks(email);
  const service = profile.data?.verdict;
  // Either of them is enough for the checks, and the other one is then named as not checked.
  const failed = headers.error !== null && body.error !== null ? headers : null;
  return (
    <Panel
      title="Parapet’s own checks"
      {...(assessment === null ? {} : { count: reasonCounts(assessment) ?? '' })}
      {...(failed === null
        ? { loading: assessment === null, error: null, onRetry: email.refreshAll }
        : panelState(failed))}
      rows={4}
      className="em-own-checks"
      notKnown="What the checks would find is unknown: this does not mean the email is clean."
      menu={panelMenu(email.refreshAll)}
    >
      {assessment === null ? null : (
        <div className="em-shows">
          <p className="em-beside">
            <span>
              Parapet <VerdictChip verdict={assessment.verdict ?? NOTHING_FOUND} code={null} />
            </span>
            <span>Service {service ? <VerdictChip verdict={service} code={null} /> : 'no verdict'}</span>
          </p>
          {disagree(assessment.verdict, service) ? (
            <p className="en-note pp-caution">They disagree. Read the reasons before you trust either.</p>
          ) : null}
          <BothSides {...props} findings={assessment.findings} />
          <Unchecked sentences={assessment.unchecked} />
        </div>
      )}
    </Panel>
  );
}
