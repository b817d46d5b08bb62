import { MenuItem } from '@blueprintjs/core';
import { Clipboard, Refresh } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { panelState } from '#renderer/entity/panel-state.ts';
import { StackTable } from '#renderer/entity/stack-table.tsx';
import { EntityTimeline } from '#renderer/entity/timeline-panel.tsx';
import { copyText } from '#renderer/state/entity-actions.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { Facts } from '#renderer/ui/facts.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { useNow } from '#renderer/ui/use-now.ts';
import { fileFacts } from './file-facts.tsx';
import { PermissionsPanel } from './permissions-panel.tsx';
import type { FileTab } from './tabs.ts';
import type { FileReads } from './use-file.ts';

/** Every field of the profile; what is not recorded reads differently from what is none. */
function FactsPanel({ file }: { file: FileReads }): JSX.Element {
  const clock = useClock();
  const now = useNow();
  const { data } = file.profile;
  return (
    <Panel
      title="Facts"
      {...panelState(file.profile)}
      rows={18}
      shownInstead="The facts below are older."
      notKnown="Nothing is known of this file."
      className="fi-facts"
      menu={
        <>
          <MenuItem text="Refresh" icon={<Refresh size={14} />} onClick={file.profile.refresh} />
          <MenuItem
            text="Copy all as JSON"
            icon={<Clipboard size={14} />}
            disabled={data === undefined}
            onClick={() => void copyText(JSON.stringify(data, null, 2), 'Facts copied')}
          />
        </>
      }
    >
      {data ? <Facts facts={fileFacts(data, { clock, now })} /> : null}
    </Panel>
  );
}

/** Facts, what was found and who can reach it, and what happened, side by side. */
export function Overview({ file, go }: { file: FileReads; go: (tab: FileTab) => void }): JSX.Element {
  const pending = file.props.data?.pending_actions ?? file.profile.data?.pending_actions ?? [];
  return (
    <div className="fi-overview">
      <FactsPanel file={file} />
      <div className="fi-middle">
        <StackTable source={file.tools} noun="file" />
        <PermissionsPanel file={file} onAll={() => go('permissions')} />
      </div>
      <EntityTimeline events={file.events} pending={pending} noun="file" onAll={() => go('events')} />
    </div>
  );
}
