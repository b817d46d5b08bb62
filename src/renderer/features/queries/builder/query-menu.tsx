import { Duplicate, Edit, Flag, History, Tick, TimelineEvents, TwoColumns } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { menuOf } from '#renderer/commands/command.tsx';
import { useConnection } from '#renderer/state/connection.ts';
import { updateDraft } from '#renderer/state/drafts.ts';
import { openWith } from '#renderer/state/tab-payload.ts';
import type { Draft } from '#shared/bridge/workspace.ts';
import { parseSeverity } from '#shared/model/severity.ts';
import { UNRATED } from '#shared/rules/rule.ts';
import { editQuery } from '../draft-edit.ts';
import { revertedQuery, saveAs } from '../query-actions.ts';
import type { QueryCommands } from './query-commands.ts';
import type { QueryDialog } from './query-dialogs.tsx';

export function QueryMenu(props: {
  draft: Draft;
  commands: QueryCommands;
  onOpen: (dialog: QueryDialog) => void;
}): JSX.Element {
  const { draft, commands, onOpen } = props;
  const { saved, query } = draft;
  const copies = draft.includeCopies ?? false;
  const { connection } = useConnection();
  const { filter, name, description, severity } = query;
  return menuOf(
    'Query actions',
    [
      commands.undo,
      commands.redo,
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
      commands.schedule,
      commands.send,
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
      commands.exportQuery,
    ],
  );
}
