import { Menu, MenuDivider, MenuItem } from '@blueprintjs/core';
import {
  Duplicate,
  Edit,
  Export,
  History,
  Redo,
  Tick,
  TimelineEvents,
  TwoColumns,
  Undo,
} from '@blueprintjs/icons';
import type { JSX } from 'react';
import { useRoleRefusal } from '#renderer/state/caller.ts';
import { updateDraft } from '#renderer/state/drafts.ts';
import { Kbd } from '#renderer/ui/kbd.tsx';
import type { Draft } from '#shared/bridge/workspace.ts';
import { editQuery, redo, undo, useHistory } from '../draft-edit.ts';
import { revertedQuery, saveAs } from '../query-actions.ts';
import { exportQueries } from '../query-files.ts';
import { ScheduleItems } from '../schedule-items.tsx';
import type { QueryDialog } from './query-dialogs.tsx';

/** Actions of the query besides saving and running it. */
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
  const unexported = useRoleRefusal()('query.export', { query: saved ?? query });
  return (
    <Menu aria-label="Query actions">
      <MenuItem
        icon={<Undo size={14} />}
        text="Undo"
        labelElement={<Kbd keys="Ctrl Z" />}
        disabled={!canUndo}
        onClick={() => undo(draft.id)}
      />
      <MenuItem
        icon={<Redo size={14} />}
        text="Redo"
        labelElement={<Kbd keys="Ctrl Shift Z" />}
        disabled={!canRedo}
        onClick={() => redo(draft.id)}
      />
      <MenuItem
        icon={<History size={14} />}
        text="Revert to saved"
        disabled={saved === null}
        onClick={() => editQuery(draft.id, (before) => revertedQuery(draft.id) ?? before)}
      />
      <MenuDivider />
      <MenuItem icon={<Edit size={14} />} text="Name and details…" onClick={() => onOpen('details')} />
      <MenuItem
        icon={<TwoColumns size={14} />}
        text="Columns, sort and report…"
        onClick={() => onOpen('shape')}
      />
      <ScheduleItems
        id={savedId}
        query={saved ? { ...query, createdBy: saved.createdBy } : query}
        onSchedule={() => onOpen('schedule')}
        onSend={() => onOpen('send')}
      />
      <MenuItem icon={<TimelineEvents size={14} />} text="Run history…" onClick={() => onOpen('runs')} />
      {query.domain === 'email' ? (
        <MenuItem
          roleStructure="menuitem"
          icon={copies ? <Tick size={14} /> : undefined}
          text="Include copies"
          label={copies ? 'one row per recipient' : 'off'}
          onClick={() => updateDraft(draft.id, { includeCopies: !copies })}
        />
      ) : null}
      <MenuDivider />
      <MenuItem icon={<Duplicate size={14} />} text="Save as…" onClick={() => saveAs(draft.id)} />
      <MenuItem
        icon={<Export size={14} />}
        text="Export query…"
        label={savedId === null ? 'save first' : undefined}
        disabled={savedId === null || unexported !== null}
        title={unexported ?? undefined}
        onClick={() => {
          if (savedId !== null) void exportQueries([{ id: savedId, name: query.name }]);
        }}
      />
    </Menu>
  );
}
