/** What the screen of a query offers by key, button and menu. */
import { Export, FloppyDisk, Redo, Undo } from '@blueprintjs/icons';
import { type Command, useCommands } from '#renderer/commands/command.tsx';
import { QUERY } from '#renderer/commands/keys.ts';
import { useRoleRefusal } from '#renderer/state/caller.ts';
import { backToTab } from '#renderer/state/tab-history.ts';
import { openTab } from '#renderer/state/tabs.ts';
import type { Draft } from '#shared/bridge/workspace.ts';
import { visibleText } from '#shared/model/format.ts';
import { redo, undo, useHistory } from '../draft-edit.ts';
import { saveDraft } from '../query-actions.ts';
import { exportDraft } from '../query-files.ts';
import { useSaving } from '../saves-underway.ts';
import { useScheduling } from '../schedule-commands.ts';
import { ADD_KEYS, isInText } from './add-keys.ts';
import type { QueryDialog } from './query-dialogs.tsx';

export type QueryCommands = ReturnType<typeof useQueryCommands>;

function saveFrom(draftId: string): void {
  // Blur commits a name that is still being typed.
  const field = document.activeElement;
  if (field instanceof HTMLElement && field.closest('.pp-query-name')) {
    field.blur();
    field.focus();
  }
  void saveDraft(draftId);
}

/** Returns to the origin of the query. False if it has none. */
function goBack({ origin }: Draft): boolean {
  if (!origin) return false;
  backToTab(() => openTab(origin.route, { title: origin.title }));
  return true;
}

export function useQueryCommands(
  draft: Draft,
  does: { onOpen: (dialog: QueryDialog) => void; onRun: () => void; onToggle: () => void },
) {
  const { id, savedId, saved, query, origin } = draft;
  const { onOpen } = does;
  const { canUndo, canRedo } = useHistory(id);
  const roleRefusal = useRoleRefusal();
  const edit = (change: (draftId: string) => boolean) => (event?: KeyboardEvent) =>
    isInText(event) ? false : change(id);
  const commands = {
    run: { ...QUERY.run, run: does.onRun },
    save: {
      ...QUERY.save,
      label: 'Save',
      icon: FloppyDisk,
      why:
        savedId === null ? roleRefusal('query.save') : roleRefusal('query.update', { query: saved ?? query }),
      tellsWhy: true,
      isBusy: useSaving(id),
      run: () => saveFrom(id),
    },
    undo: { ...QUERY.undo, icon: Undo, isOff: !canUndo, run: edit(undo) },
    redo: { ...QUERY.redo, icon: Redo, isOff: !canRedo, run: edit(redo) },
    conditions: { ...QUERY.conditions, run: does.onToggle },
    back: {
      ...QUERY.back,
      text: origin ? `Back to ${visibleText(origin.title)}` : '',
      run: () => goBack(draft),
    },
    exportQuery: {
      text: 'Export query…',
      icon: Export,
      note: savedId === null ? 'save first' : undefined,
      isOff: savedId === null,
      why: roleRefusal('query.export', { query: saved ?? query }),
      run: () => exportDraft(draft, () => onOpen('export')),
    },
    ...useScheduling({
      id: savedId,
      query: saved ? { ...query, createdBy: saved.createdBy } : query,
      onSchedule: () => onOpen('schedule'),
      onSend: () => onOpen('send'),
    }),
  } satisfies Record<string, Command>;
  const { run, save, conditions, back } = commands;
  useCommands([run, save, commands.undo, commands.redo, ...ADD_KEYS, conditions, back]);
  return commands;
}
