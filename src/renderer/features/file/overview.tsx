import type { JSX } from 'react';
import { FactsPanel } from '#renderer/entity/facts-panel.tsx';
import { StackTable } from '#renderer/entity/stack-table.tsx';
import { EntityTimeline } from '#renderer/entity/timeline-panel.tsx';
import { fileFacts } from './file-facts.tsx';
import { PermissionsPanel } from './permissions-panel.tsx';
import type { FileTab } from './tabs.ts';
import type { FileReads } from './use-file.ts';

/** Nothing of a file's own fields tells what happened to it. */
const NOTHING = () => null;

/** Facts, what was found and who can reach it, and what happened, side by side. */
export function Overview(props: {
  file: FileReads;
  go: (tab: FileTab) => void;
  /** Opens the dialog for the identifier; null: it cannot be set. */
  onIdentify: (() => void) | null;
}): JSX.Element {
  const { file, go, onIdentify } = props;
  return (
    <div className="en-overview">
      <FactsPanel
        read={file.profile}
        noun="file"
        factsOf={(profile, times) => fileFacts(profile, { ...times, file, onIdentify })}
      />
      <div className="en-middle">
        <StackTable source={file.tools} noun="file" />
        <PermissionsPanel file={file} onAll={() => go('permissions')} />
      </div>
      <EntityTimeline
        events={file.events}
        pending={file.pending}
        fallback={NOTHING}
        first="newest"
        noun="file"
        onAll={() => go('events')}
      />
    </div>
  );
}
