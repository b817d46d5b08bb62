import { Button, Menu, MenuDivider, MenuItem } from '@blueprintjs/core';
import { Add, Export, Import, More, People, Trash } from '@blueprintjs/icons';
import type { JSX, RefObject } from 'react';
import type { Read } from '#renderer/bridge/use-read.ts';
import { FreshnessMark } from '#renderer/ui/freshness-mark.tsx';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { MenuPopover } from '#renderer/ui/menu-popover.tsx';
import { PageHeader } from '#renderer/ui/page-header.tsx';
import { SearchBox } from '#renderer/ui/search-box.tsx';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import type { Query } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import { PolicyItems } from '../schedule-items.tsx';

/** Title, search, and what can be done with the whole library or the selected queries. */
export function LibraryHeader(props: {
  list: Read<'query.list'>;
  search: RefObject<HTMLInputElement | null>;
  text: string;
  shown: number;
  /** The selected queries. */
  chosen: readonly Query[];
  importing: boolean;
  /** Why the caller's role does not allow these. */
  refusals: {
    import: string | null;
    export: string | null;
    delete: string | null;
    activeUsers: string | null;
  };
  onText: (text: string) => void;
  onNew: () => void;
  onImport: () => void;
  onExport: () => void;
  onDelete: () => void;
  onActiveUsers: () => void;
}): JSX.Element {
  const { list, shown, refusals } = props;
  const chosen = props.chosen.length;
  const { wide } = useBreakpoint();
  return (
    <PageHeader
      title="Queries"
      freshness={
        <FreshnessMark
          freshness={list.freshness}
          loading={list.loading || list.revalidating}
          error={list.error}
        />
      }
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
              onClick={props.onDelete}
            />
          ) : null}
          <Button
            icon={<Import size={14} />}
            text="Import"
            loading={props.importing}
            disabled={refusals.import !== null}
            title={refusals.import ?? undefined}
            onClick={props.onImport}
          />
          <Button
            icon={<Export size={14} />}
            text={chosen > 0 ? `Export ${exact(chosen)}` : 'Export'}
            title={refusals.export ?? (chosen > 0 ? undefined : `Export all ${exact(shown)} shown`)}
            disabled={shown === 0 || refusals.export !== null}
            onClick={props.onExport}
          />
          <MenuPopover
            placement="bottom-end"
            content={
              <Menu aria-label="More actions">
                <PolicyItems queries={props.chosen} />
                {chosen > 0 ? <MenuDivider /> : null}
                <MenuItem
                  icon={<People size={14} />}
                  text="Export active users…"
                  disabled={refusals.activeUsers !== null}
                  title={refusals.activeUsers ?? undefined}
                  onClick={props.onActiveUsers}
                />
              </Menu>
            }
          >
            <IconButton outlined icon={<More size={14} />} label="More actions" />
          </MenuPopover>
          <Button intent="primary" icon={<Add size={14} />} text="New query" onClick={props.onNew} />
        </>
      }
    />
  );
}
