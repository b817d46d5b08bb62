import { type JSX, useState } from 'react';
import type { Query } from '#shared/model/entities.ts';
import { DetailsDialog } from '../details-dialog.tsx';
import { updateSaved } from '../query-actions.ts';
import type { ImportPlan, ImportOutcome as Outcome } from '../query-files.ts';
import { tellFailure } from '../query-send.ts';
import { saveProblemOf } from '../save-problems.ts';
import { saveSchedule } from '../schedule-actions.ts';
import { ScheduleDialog } from '../schedule-dialog.tsx';
import { ActiveUsersDialog } from './active-users-dialog.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { ImportOutcome } from './import-outcome.tsx';
import { NewQueryDialog } from './new-query-dialog.tsx';

export type LibraryDialog =
  | { dialog: 'new' }
  | { dialog: 'delete'; queries: Query[] }
  | { dialog: 'details'; query: Query }
  | { dialog: 'schedule'; query: Query }
  | { dialog: 'plan'; plan: ImportPlan }
  | { dialog: 'outcome'; outcome: Outcome }
  | { dialog: 'active-users' };

/** The dialog of the library that is open. */
export function LibraryDialogs(props: {
  open: LibraryDialog | null;
  templates: readonly Query[];
  onOpen: (open: LibraryDialog | null) => void;
}): JSX.Element | null {
  const { open, templates, onOpen } = props;
  // What was saved from the dialog that is open is what its next save is made of.
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
    case 'active-users':
      return <ActiveUsersDialog onClose={close} />;
    case 'outcome':
      return <ImportOutcome outcome={open.outcome} onClose={close} />;
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
          onSave={(schedule, _name, enable) => saveSchedule(latest(open.query), schedule, enable, setSaved)}
        />
      );
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
            if (!problem) tellFailure('The query was not saved', error);
            return problem ?? { field: '', message: 'Not saved.' };
          }}
        />
      );
    default:
      return null;
  }
}
