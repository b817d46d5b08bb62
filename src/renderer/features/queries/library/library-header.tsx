import { Button } from '@blueprintjs/core';
import { Add, Export, Import, More, People, Trash } from '@blueprintjs/icons';
import { type JSX, type RefObject, useState } from 'react';
import type { Read } from '#renderer/bridge/use-read.ts';
import { menuOf } from '#renderer/commands/command.tsx';
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
import { exportQueries, inspectQueryFile } from '../query-files.ts';
import { PolicyItems } from '../schedule-items.tsx';
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

/** The first refusal of several queries: the service would reject some and accept others. */
export function useRefusedOf() {
  const roleRefusal = useRoleRefusal();
  return (call: 'query.export' | 'query.delete', of: readonly Query[]) =>
    of.map((query) => roleRefusal(call, { query })).find((refusal) => refusal !== null) ?? null;
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
  const refusedOf = useRefusedOf();
  const refusals = {
    import: roleRefusal('query.import'),
    export: refusedOf('query.export', exported),
    delete: refusedOf('query.delete', props.chosen),
    activeUsers: roleRefusal('query.export-active-users'),
  };
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
            <IconButton
              outlined
              icon={<Trash size={14} />}
              label={`Delete ${chosen} selected`}
              disabled={refusals.delete !== null}
              why={refusals.delete}
              onClick={() => onDialog({ dialog: 'delete', queries: [...props.chosen] })}
            />
          ) : null}
          <Button
            icon={<Import size={14} />}
            text="Import"
            loading={importing}
            disabled={refusals.import !== null}
            title={refusals.import ?? undefined}
            onClick={startImport}
          />
          <Button
            icon={<Export size={14} />}
            text={chosen > 0 ? `Export ${exact(chosen)}` : 'Export'}
            title={refusals.export ?? (chosen > 0 ? undefined : `Export all ${exact(shown.length)} shown`)}
            disabled={shown.length === 0 || refusals.export !== null}
            onClick={() => void exportQueries(exported)}
          />
          <MenuPopover
            placement="bottom-end"
            content={menuOf(
              'More actions',
              [
                chosen > 0 && (
                  <PolicyItems
                    count={chosen}
                    onOperate={(operator) =>
                      onDialog({ dialog: 'operate', operator, queries: [...props.chosen] })
                    }
                  />
                ),
              ],
              [
                {
                  text: 'Export active users…',
                  icon: People,
                  why: refusals.activeUsers,
                  run: () => onDialog({ dialog: 'active-users' }),
                },
              ],
            )}
          >
            <IconButton outlined icon={<More size={14} />} label="More actions" />
          </MenuPopover>
          <Button
            intent="primary"
            icon={<Add size={14} />}
            text="New query"
            onClick={() => onDialog({ dialog: 'new' })}
          />
        </>
      }
    />
  );
}
