import type { JSX } from 'react';
import { FactsPanel } from '#renderer/entity/facts-panel.tsx';
import { StackTable } from '#renderer/entity/stack-table.tsx';
import { EntityTimeline } from '#renderer/entity/timeline-panel.tsx';
import { AnalysisPanel } from './analysis-panel.tsx';
import { AttachmentsPanel } from './attachments-panel.tsx';
import { BodyPanel } from './body-panel.tsx';
import { emailFacts } from './facts.tsx';
import { lifecycleOf } from './lifecycle.ts';
import { RecipientsPanel } from './recipients-panel.tsx';
import type { EmailTab } from './tabs.ts';
import { toldByProfile } from './told-by-profile.ts';
import type { EmailReads } from './use-email.ts';

/** Facts, what was found, and what happened, side by side. */
export function Overview(props: {
  email: EmailReads;
  go: (tab: EmailTab) => void;
  /** Opens the dialog for the identifier; null: it cannot be set. */
  onIdentify: (() => void) | null;
}): JSX.Element {
  const { email, go, onIdentify } = props;
  const { profile, parsed, tools } = email;
  const { data } = profile;
  const onRecipients = () => go('recipients');
  return (
    <div className="en-overview">
      <FactsPanel
        read={profile}
        noun="email"
        factsOf={(found, times) =>
          emailFacts(found, { ...times, email, lookalike: email.lookalike, onRecipients, onIdentify })
        }
      />
      <div className="en-middle">
        <StackTable source={tools} noun="email" />
        <AnalysisPanel email={email} onRaw={() => go('headers')} />
        <AttachmentsPanel email={email} />
        <RecipientsPanel email={email} onAll={onRecipients} />
      </div>
      <div className="em-right">
        <EntityTimeline
          events={email.events}
          pending={lifecycleOf(data, email.props)?.pending ?? []}
          fallback={() =>
            data ? toldByProfile(data, tools.stack, parsed?.analysis.hops.at(-1)?.by ?? null) : null
          }
          first="oldest"
          noun="email"
          onAll={() => go('events')}
        />
        <BodyPanel email={email} />
      </div>
    </div>
  );
}
