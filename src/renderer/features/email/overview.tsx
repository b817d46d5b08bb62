import type { JSX } from 'react';
import { AnalysisPanel } from './analysis-panel.tsx';
import { AttachmentsPanel } from './attachments-panel.tsx';
import { BodyPanel } from './body-panel.tsx';
import { FactsPanel } from './facts-panel.tsx';
import { RecipientsPanel } from './recipients-panel.tsx';
import { StackPanel } from './stack-panel.tsx';
import type { EmailTab } from './tabs.ts';
import { TimelinePanel } from './timeline-panel.tsx';
import type { EmailReads } from './use-email.ts';

/** Facts, what was found, and what happened, side by side. */
export function Overview({
  email,
  go,
  onIdentify,
}: {
  email: EmailReads;
  go: (tab: EmailTab) => void;
  /** Opens the dialog for the identifier; null: it cannot be set. */
  onIdentify: (() => void) | null;
}): JSX.Element {
  return (
    <div className="em-overview">
      <FactsPanel email={email} onRecipients={() => go('recipients')} onIdentify={onIdentify} />
      <div className="em-middle">
        <StackPanel email={email} />
        <AnalysisPanel email={email} onRaw={() => go('headers')} />
        <AttachmentsPanel email={email} />
        <RecipientsPanel email={email} onAll={() => go('recipients')} />
      </div>
      <div className="em-right">
        <TimelinePanel email={email} onAll={() => go('events')} />
        <BodyPanel email={email} />
      </div>
    </div>
  );
}
