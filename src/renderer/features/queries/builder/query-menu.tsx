import {
  Duplicate,
  Edit,
  Export,
  Flag,
  History,
  Redo,
  Tick,
  TimelineEvents,
  TwoColumns,
  Undo,
} from '@blueprintjs/icons';
import type { JSX } from 'react';
import { menuOf } from '#renderer/commands/command.tsx';
import { QUERY } from '#renderer/commands/keys.ts';
import { useRoleRefusal } from '#renderer/state/caller.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { updateDraft } from '#renderer/state/drafts.ts';
import { openWith } from '#renderer/state/tab-payload.ts';
import type { Draft } from '#shared/bridge/workspace.ts';
import { parseSeverity } from '#shared/model/severity.ts';
import { UNRATED } from '#shared/rules/rule.ts';
import { editQuery, redo, undo, useHistory } from '../draft-edit.ts';
import { revertedQuery, saveAs } from '../query-actions.ts';
import { exportDraft } from '../query-files.ts';
import { ScheduleItems } from '../schedule-items.tsx';
import type { QueryDialog } from './query-dialogs.tsx';

export function QueryMenu({
  draft,
  onOpen,
}: {
  draft: Draft;
  onOpen: (dialog: QueryDialog) => void;
}): JSX.Element {
  const { canUndo, canRedo } = useHistory(draft.id);
  const { savedId, saved, query } = draft;
  const copies = draft.includeCopies ?? false;
  const { connection } = useConnection();
  const { filter, name, description, severity } = query;
  const unexported = useRoleRefusal()('query.export', { query: saved ?? query });
  return menuOf(
    'Query actions',
    [
      { ...QUERY.undo, icon: Undo, isOff: !canUndo, run: () => undo(draft.id) },
      { ...QUERY.redo, icon: Redo, isOff: !canRedo, run: () => redo(draft.id) },
      {
        text: 'Revert to saved',
        icon: History,
        isOff: saved === null,
        run: () => editQuery(draft.id, (before) => revertedQuery(draft.id) ?? before),
      },
    ],
    [
      { text: 'Name and details…', icon: Edit, run: () => onOpen('details') },
      { text: 'Columns, sort and report…', icon: TwoColumns, run: () => onOpen('shape') },
      <ScheduleItems
        key="schedule"
        id={savedId}
        query={saved ? { ...query, createdBy: saved.createdBy } : query}
        onSchedule={() => onOpen('schedule')}
        onSend={() => onOpen('send')}
      />,
      { text: 'Run history…', icon: TimelineEvents, run: () => onOpen('runs') },
      query.domain === 'email' && {
        text: 'Include copies',
        icon: copies ? Tick : undefined,
        note: copies ? 'one row per recipient' : 'off',
        run: () => updateDraft(draft.id, { includeCopies: !copies }),
      },
    ],
    [
      { text: 'Save as…', icon: Duplicate, run: () => saveAs(draft.id) },
      // Rules find emails of evidence.
      connection?.kind === 'evidence' &&
        query.domain === 'email' && {
          text: 'Save as rule…',
          icon: Flag,
          note: filter?.conditions.length ? undefined : 'add conditions first',
          isOff: !filter?.conditions.length,
          run: () =>
            openWith('rules', {
              name,
              sentence: description ?? name,
              severity: parseSeverity(severity) ?? UNRATED,
              ...(filter ? { condition: filter } : {}),
            }),
        },
      {
        text: 'Export query…',
        icon: Export,
        note: savedId === null ? 'save first' : undefined,
        isOff: savedId === null,
        why: unexported,
        run: () => exportDraft(draft, () => onOpen('export')),
      },
    ],
  );
}
