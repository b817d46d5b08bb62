import { Button } from '@blueprintjs/core';
import { TimelineEvents } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { useRecentQueries } from '#renderer/state/recent.ts';
import { Dialog } from '#renderer/ui/dialog.tsx';
import type { Draft } from '#shared/bridge/workspace.ts';
import type { QueryConfig } from '#shared/model/entities.ts';
import { DetailsDialog } from '../details-dialog.tsx';
import { editQuery } from '../draft-edit.ts';
import { NEW_QUERY } from '../labels.ts';
import { Runs } from '../runs.tsx';
import { saveDraftSchedule } from '../schedule-actions.ts';
import { ScheduleDialog } from '../schedule-dialog.tsx';
import { SendDialog } from '../send-dialog.tsx';
import { ShapeDialog } from '../shape-dialog.tsx';

export type QueryDialog = 'details' | 'shape' | 'runs' | 'schedule' | 'send';

function RunsDialog({ draft, onClose }: { draft: Draft; onClose: () => void }): JSX.Element {
  const recent = useRecentQueries().find(({ queryId, name }) =>
    draft.savedId === null
      ? queryId === null && name === (draft.query.name || NEW_QUERY)
      : queryId === draft.savedId,
  );
  return (
    <Dialog
      isOpen
      size="narrow"
      title="Run history"
      icon={<TimelineEvents size={14} />}
      onClose={onClose}
      onConfirm={onClose}
      actions={<Button text="Close" onClick={onClose} />}
    >
      {recent?.runs?.length ? <Runs recent={recent} /> : <p className="pp-t2">Never run on this machine.</p>}
    </Dialog>
  );
}

/** The open dialog of a query. Its changes can be undone and are saved with the query. */
export function QueryDialogs(props: {
  open: QueryDialog | null;
  draft: Draft;
  config: QueryConfig | undefined;
  onClose: () => void;
}): JSX.Element | null {
  const { open, draft, config, onClose } = props;
  if (open === 'runs') return <RunsDialog draft={draft} onClose={onClose} />;
  if (open === 'shape' && config)
    return (
      <ShapeDialog
        query={draft.query}
        config={config}
        onClose={onClose}
        onSave={(shape) => editQuery(draft.id, (query) => ({ ...query, ...shape }))}
      />
    );
  if (open === 'schedule')
    return (
      <ScheduleDialog
        query={draft.query}
        isNew={draft.savedId === null}
        onClose={onClose}
        onSave={(schedule, name, enable) => saveDraftSchedule(draft.id, schedule, name, enable)}
      />
    );
  if (open === 'send' && draft.savedId !== null)
    // Sending uses the saved query, not the edited draft.
    return <SendDialog query={{ ...(draft.saved ?? draft.query), id: draft.savedId }} onClose={onClose} />;
  if (open === 'details')
    return (
      <DetailsDialog
        query={draft.query}
        title="Name and details"
        confirm="Apply"
        onClose={onClose}
        onSave={async (details) => {
          editQuery(draft.id, (query) => ({ ...query, ...details }));
          return null;
        }}
      />
    );
  return null;
}
