import { Import, More, People } from '@blueprintjs/icons';
import { type JSX, type RefObject, useState } from 'react';
import type { Read } from '#renderer/bridge/use-read.ts';
import { CommandButton, menuOf } from '#renderer/commands/command.tsx';
import { ageOf } from '#renderer/entity/panel-state.ts';
import { useRoleRefusal } from '#renderer/state/caller.ts';
import { SearchBox } from '#renderer/ui/form/search-box.tsx';
import { FreshnessMark } from '#renderer/ui/freshness-mark.tsx';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { MenuPopover } from '#renderer/ui/menu/menu-popover.tsx';
import { PageHeader } from '#renderer/ui/page-header.tsx';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import type { Query } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import { inspectQueryFile } from '../query-files.ts';
import { usePolicies } from '../schedule-commands.ts';
import { useLibraryCommands } from './library-commands.ts';
import { comparingDialog, type LibraryDialog } from './library-dialogs.tsx';

function useImport(onDialog: (dialog: LibraryDialog | null) => void) {
  const [importing, setImporting] = useState(false);
  const startImport = () => {
    setImporting(true);
    void inspectQueryFile((comparing) => onDialog(comparingDialog(comparing)))
      .then((plan) => {
        if (plan) onDialog({ dialog: 'plan', plan });
      })
      .finally(() => setImporting(false));
  };
  return { importing, startImport };
}

export function LibraryHeader(props: {
  list: Read<'query.list'>;
  search: RefObject<HTMLInputElement | null>;
  text: string;
  /** The queries that the filter shows. */
  shown: readonly Query[];
  chosen: readonly Query[];
  onText: (text: string) => void;
  onDialog: (dialog: LibraryDialog | null) => void;
}): JSX.Element {
  const { list, shown, onDialog } = props;
  const chosen = props.chosen.length;
  const exported = chosen > 0 ? props.chosen : shown;
  const { wide } = useBreakpoint();
  const { importing, startImport } = useImport(onDialog);
  const roleRefusal = useRoleRefusal();
  const commands = useLibraryCommands(onDialog);
  const policies = usePolicies(chosen, (operator) =>
    onDialog({ dialog: 'operate', operator, queries: [...props.chosen] }),
  );
  return (
    <PageHeader
      title="Queries"
      freshness={<FreshnessMark {...ageOf(list)} />}
      filters={
        <SearchBox
          className="pp-library-search"
          inputRef={props.search}
          label="Search queries"
          placeholder={wide ? 'Search names, descriptions, fields, values' : 'Search names, fields, values'}
          text={props.text}
          onText={props.onText}
        />
      }
      actions={
        <>
          {chosen > 0 ? (
            <CommandButton
              isBare
              command={{ ...commands.remove(props.chosen), label: `Delete ${chosen} selected` }}
            />
          ) : null}
          <CommandButton
            command={{
              text: 'Import',
              icon: Import,
              why: roleRefusal('query.import'),
              isBusy: importing,
              run: startImport,
            }}
          />
          <CommandButton
            command={{
              ...commands.exportFile(exported),
              text: chosen > 0 ? `Export ${exact(chosen)}` : 'Export',
              title: chosen > 0 ? undefined : `Export all ${exact(shown.length)} shown`,
              isOff: shown.length === 0,
            }}
          />
          <MenuPopover
            placement="bottom-end"
            content={menuOf('More actions', policies, [
              {
                text: 'Export active users…',
                icon: People,
                why: roleRefusal('query.export-active-users'),
                run: () => onDialog({ dialog: 'active-users' }),
              },
            ])}
          >
            <IconButton outlined icon={<More size={14} />} label="More actions" />
          </MenuPopover>
          <CommandButton isPrimary command={commands.create} />
        </>
      }
    />
  );
}
