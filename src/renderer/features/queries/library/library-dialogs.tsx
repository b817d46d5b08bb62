import { People, Trash } from '@blueprintjs/icons';
import { type JSX, useState } from 'react';
import { useAct } from '#renderer/bridge/use-call.ts';
import { ConfirmDialog, useOpenDialog } from '#renderer/ui/dialog.tsx';
import { SelectField } from '#renderer/ui/form/field.tsx';
import { Segmented } from '#renderer/ui/form/segmented.tsx';
import { toBridgeError } from '#shared/bridge/errors.ts';
import type { Query } from '#shared/model/entities.ts';
import { plural } from '#shared/model/format.ts';
import type { PolicyOperator } from '#shared/model/query-status.ts';
import { DetailsDialog } from '../details-dialog.tsx';
import { NOT_SAVED } from '../labels.ts';
import { OperateDialog, QueryTargets } from '../operate-dialog.tsx';
import { updateSaved } from '../query-actions.ts';
import { deleteQueries, UNDO_MS } from '../query-delete.ts';
import {
  type Comparing,
  exportActiveUsers,
  type ImportOutcome,
  type ImportPlan,
  SERVICE_FORMATS,
  type ServiceFormat,
} from '../query-files.ts';
import { EVERY_APP } from '../query-run.ts';
import { showNotDone } from '../query-send.ts';
import { saveProblemOf } from '../save-problems.ts';
import { saveSchedule } from '../schedule-actions.ts';
import { ScheduleDialog } from '../schedule-dialog.tsx';
import { SendDialog } from '../send-dialog.tsx';
import { useSaasChoices } from '../use-config.ts';
import { ComparingDialog, ImportDialog, ImportOutcomeDialog } from './import-dialog.tsx';
import { NewQueryDialog } from './new-query-dialog.tsx';

/** Confirms the deletion; the toast that follows offers Undo until it is sent. */
function DeleteDialog({ queries, onClose }: { queries: readonly Query[]; onClose: () => void }): JSX.Element {
  const confirm = () => {
    onClose();
    void deleteQueries(queries);
  };
  return (
    <ConfirmDialog
      size="wide"
      title={`Delete ${plural(queries.length, 'query', 'queries')}?`}
      icon={<Trash size={14} />}
      onClose={onClose}
      onConfirm={confirm}
      confirm={{ intent: 'danger', text: `Delete ${plural(queries.length, 'query', 'queries')}` }}
    >
      <QueryTargets queries={queries} />
      <p className="pp-small pp-t2">
        Deleted for everyone, with their schedules. You can undo this for {UNDO_MS / 1000} s; then it is sent,
        even if this window is closed or another connection is opened. Logged in Activity.
      </p>
    </ConfirmDialog>
  );
}

/** The list of active users of one SaaS, made by the service. */
function ActiveUsersDialog({ onClose }: { onClose: () => void }): JSX.Element {
  const apps = useSaasChoices().filter(({ value }) => value !== EVERY_APP);
  const [chosen, setChosen] = useState<string | null>(null);
  const [format, setFormat] = useState<ServiceFormat>('csv');
  const { close } = useOpenDialog(onClose);
  const app = apps.find(({ value }) => value === chosen) ?? apps[0];
  const { run, pending } = useAct(async ({ value, label }: { value: string; label: string }) => {
    if (await exportActiveUsers(value, label, format)) close();
  });
  const save = () => {
    if (app && !pending) void run(app);
  };
  return (
    <ConfirmDialog
      size="narrow"
      title="Export active users"
      icon={<People size={14} />}
      onClose={onClose}
      onConfirm={save}
      confirm={{ text: 'Save file…', loading: pending, disabled: !app }}
    >
      <SelectField
        label="App"
        note="As currently listed by the service."
        fill
        value={app?.value ?? ''}
        options={apps}
        onChange={setChosen}
      />
      <Segmented label="Format" options={SERVICE_FORMATS} value={format} onChange={setFormat} />
    </ConfirmDialog>
  );
}

export type LibraryDialog =
  | { dialog: 'new' }
  | { dialog: 'delete'; queries: Query[] }
  | { dialog: 'operate'; operator: PolicyOperator; queries: Query[]; call?: 'query.update' }
  | { dialog: 'details'; query: Query }
  | { dialog: 'schedule'; query: Query }
  | { dialog: 'send'; query: Query }
  | { dialog: 'comparing'; comparing: Comparing }
  | { dialog: 'plan'; plan: ImportPlan }
  | { dialog: 'outcome'; outcome: ImportOutcome }
  | { dialog: 'active-users' };

export const comparingDialog = (comparing: Comparing | null): LibraryDialog | null =>
  comparing && { dialog: 'comparing', comparing };

export function LibraryDialogs(props: {
  open: LibraryDialog | null;
  templates: readonly Query[];
  onOpen: (open: LibraryDialog | null) => void;
}): JSX.Element | null {
  const { open, templates, onOpen } = props;
  // The next save from an open dialog is based on what the previous one saved.
  const [saved, setSaved] = useState<Query | null>(null);
  const latest = (query: Query) => (saved?.id === query.id ? saved : query);
  const close = () => {
    setSaved(null);
    onOpen(null);
  };
  switch (open?.dialog) {
    case 'new':
      return <NewQueryDialog templates={templates} onClose={close} />;
    case 'delete':
      return <DeleteDialog queries={open.queries} onClose={close} />;
    case 'operate':
      return (
        <OperateDialog
          operator={open.operator}
          queries={open.queries}
          {...(open.call ? { call: open.call } : {})}
          onClose={close}
        />
      );
    case 'active-users':
      return <ActiveUsersDialog onClose={close} />;
    case 'outcome':
      return <ImportOutcomeDialog outcome={open.outcome} onClose={close} />;
    case 'comparing':
      return <ComparingDialog {...open.comparing} onClose={close} />;
    case 'plan':
      return (
        <ImportDialog
          plan={open.plan}
          onClose={close}
          onDone={(outcome) => onOpen({ dialog: 'outcome', outcome })}
        />
      );
    case 'schedule':
      return (
        <ScheduleDialog
          query={open.query}
          isNew={false}
          onClose={close}
          onRemove={() =>
            onOpen({
              dialog: 'operate',
              operator: 'unschedule',
              call: 'query.update',
              queries: [latest(open.query)],
            })
          }
          onSave={(schedule, _name, enable) => saveSchedule(latest(open.query), schedule, enable, setSaved)}
        />
      );
    case 'send':
      return <SendDialog id={open.query.id} query={open.query} onClose={close} />;
    case 'details':
      return (
        <DetailsDialog
          query={open.query}
          title="Name and details"
          confirm="Save"
          onClose={close}
          onSave={async (details) => {
            const error = await updateSaved(latest(open.query), details, setSaved);
            if (error === null) return null;
            const problem = saveProblemOf(error);
            if (!problem) showNotDone(NOT_SAVED, error, 'Save');
            return problem ?? { field: '', message: toBridgeError(error).message };
          }}
        />
      );
    default:
      return null;
  }
}
