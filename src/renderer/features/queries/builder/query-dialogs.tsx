import { Button } from '@blueprintjs/core';
import { TimelineEvents } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { isDraftDirty } from '#renderer/state/drafts.ts';
import { useRecentQueries } from '#renderer/state/recent.ts';
import { ConfirmDialog, Dialog } from '#renderer/ui/dialog.tsx';
import type { Draft } from '#shared/bridge/workspace.ts';
import type { QueryConfig } from '#shared/model/entities.ts';
import { visibleText } from '#shared/model/format.ts';
import { DetailsDialog } from '../details-dialog.tsx';
import { editQuery } from '../draft-edit.ts';
import { NEW_QUERY } from '../labels.ts';
import { OperateDialog } from '../operate-dialog.tsx';
import { exportQueries } from '../query-files.ts';
import { Runs } from '../runs.tsx';
import { saveDraftSchedule } from '../schedule-actions.ts';
import { ScheduleDialog } from '../schedule-dialog.tsx';
import { SendDialog } from '../send-dialog.tsx';
import { ShapeDialog } from '../shape-dialog.tsx';
import { UnsavedNote } from '../unsaved-note.tsx';

export type QueryDialog =
  | 'details'
  | 'shape'
  | 'report'
  | 'runs'
  | 'schedule'
  | 'unschedule'
  | 'send'
  | 'export';

function RunsDialog({ draft, onClose }: { draft: Draft; onClose: () => void }): JSX.Element {
  const recent = useRecentQueries().find(({ queryId, name }) =>
    draft.savedId === null
      ? queryId === null && name === (draft.query.name || NEW_QUERY)
      : queryId === draft.savedId,
  );
  return (
    <Dialog
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

/** Exporting a query with unsaved changes: which version the file gets. */
function ExportDialog({ draft, onClose }: { draft: Draft; onClose: () => void }): JSX.Element {
  const { savedId, saved } = draft;
  const name = saved?.name ?? '';
  const confirm = () => {
    onClose();
    if (savedId !== null) void exportQueries([{ id: savedId, name }]);
  };
  return (
    <ConfirmDialog
      size="narrow"
      title="Export query"
      onClose={onClose}
      onConfirm={confirm}
      confirm={{ text: isDraftDirty(draft) ? 'Export saved version…' : 'Export query…' }}
    >
      <UnsavedNote draft={draft} />
      <p className="pp-wrap-anywhere">
        <b>{visibleText(name)}</b>
      </p>
    </ConfirmDialog>
  );
}

/** The open dialog of a query. Its changes can be undone and are saved with the query. */
export function QueryDialogs(props: {
  open: QueryDialog | null;
  draft: Draft;
  config: QueryConfig | undefined;
  onOpen: (dialog: QueryDialog | null) => void;
}): JSX.Element | null {
  const { open, draft, config, onOpen } = props;
  const onClose = () => onOpen(null);
  if (open === 'runs') return <RunsDialog draft={draft} onClose={onClose} />;
  if ((open === 'shape' || open === 'report') && config)
    return (
      <ShapeDialog
        first={open === 'report' ? 'report' : 'columns'}
        query={draft.query}
        config={config}
        onClose={onClose}
        onSave={(shape) => editQuery(draft.id, (query) => ({ ...query, ...shape }))}
      />
    );
  if (open === 'schedule')
    return (
      <ScheduleDialog
        query={draft.saved ?? draft.query}
        isNew={draft.savedId === null}
        note={<UnsavedNote draft={draft} />}
        onClose={onClose}
        onRemove={() => {
          if (draft.savedId !== null) return onOpen('unschedule');
          editQuery(draft.id, (query) => ({ ...query, scheduledExport: null }));
          onClose();
        }}
        onSave={(schedule, name, enable) => saveDraftSchedule(draft.id, schedule, name, enable)}
      />
    );
  if (open === 'unschedule' && draft.savedId !== null)
    return (
      <OperateDialog
        operator="unschedule"
        call="query.update"
        queries={[{ ...(draft.saved ?? draft.query), id: draft.savedId }]}
        onClose={onClose}
      />
    );
  if (open === 'send' && draft.savedId !== null)
    // Sending uses the saved query, not the edited draft.
    return (
      <SendDialog
        id={draft.savedId}
        query={draft.saved ?? draft.query}
        note={<UnsavedNote draft={draft} />}
        onClose={onClose}
      />
    );
  if (open === 'export') return <ExportDialog draft={draft} onClose={onClose} />;
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
