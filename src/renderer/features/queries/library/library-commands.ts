/** What can be done with saved queries, as far as the role allows. */
import { Add, Edit, Export, Play, Trash } from '@blueprintjs/icons';
import type { Command } from '#renderer/commands/command.tsx';
import { LIBRARY } from '#renderer/commands/keys.ts';
import { useRoleRefusal } from '#renderer/state/caller.ts';
import { openQuery } from '#renderer/state/navigation.ts';
import type { Query } from '#shared/model/entities.ts';
import { exportQueries } from '../query-files.ts';
import type { LibraryDialog } from './library-dialogs.tsx';

export function useLibraryCommands(onDialog: (dialog: LibraryDialog) => void) {
  const roleRefusal = useRoleRefusal();
  // The first refusal of several queries: the service would reject some and accept others.
  const refusalOf = (call: 'query.export' | 'query.delete', of: readonly Query[]) =>
    of.map((query) => roleRefusal(call, { query })).find((refusal) => refusal !== null) ?? null;
  return {
    create: { ...LIBRARY.create, icon: Add, run: () => onDialog({ dialog: 'new' }) },
    open: (query: Query): Command => ({
      ...LIBRARY.open,
      label: query.subType === 'template' ? 'New from template' : 'Open',
      icon: Play,
      run: () => openQuery(query),
    }),
    details: (query: Query): Command => ({
      ...LIBRARY.details,
      label: 'Name and details…',
      icon: Edit,
      why: roleRefusal('query.update', { query }),
      tellsWhy: true,
      run: () => onDialog({ dialog: 'details', query }),
    }),
    exportFile: (queries: readonly Query[]): Command => ({
      text: 'Export query…',
      icon: Export,
      why: refusalOf('query.export', queries),
      run: () => exportQueries(queries),
    }),
    remove: (queries: readonly Query[]): Command => ({
      ...LIBRARY.remove,
      label: 'Delete…',
      icon: Trash,
      isDanger: true,
      why: refusalOf('query.delete', queries),
      tellsWhy: true,
      run: () => onDialog({ dialog: 'delete', queries: [...queries] }),
    }),
  };
}
