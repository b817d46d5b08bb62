import { Button } from '@blueprintjs/core';
import { Export } from '@blueprintjs/icons';
import { type JSX, type RefObject, useState } from 'react';
import { type Command, CommandButton, menuOf } from '#renderer/commands/command.tsx';
import { ageOf } from '#renderer/entity/panel-state.ts';
import { useClearFilesOff } from '#renderer/state/app-info.ts';
import { showExported } from '#renderer/state/saving.ts';
import { attempt } from '#renderer/state/show-failure.ts';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import { Select } from '#renderer/ui/form/field.tsx';
import { SearchBox } from '#renderer/ui/form/search-box.tsx';
import { SearchCap } from '#renderer/ui/form/search-cap.tsx';
import { Segmented } from '#renderer/ui/form/segmented.tsx';
import { FreshnessMark } from '#renderer/ui/freshness-mark.tsx';
import { MenuPopover } from '#renderer/ui/menu/menu-popover.tsx';
import { PageHeader } from '#renderer/ui/page-header.tsx';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import { SEARCH_MOST } from '#shared/bridge/operations.ts';
import { exact, plural } from '#shared/model/format.ts';
import { type Search, searchBody, WINDOWS } from './search.ts';
import type { Exceptions } from './use-exceptions.ts';

// Export of the list: format, target file and result.

type ListFormat = 'csv' | 'json';

/** Asks for a file name and writes all found entries, or the selected ones. A toast reports the result. */
async function exportList(
  connectionId: string,
  search: Search,
  ids: readonly string[] | null,
  format: ListFormat,
): Promise<void> {
  const bridge = windowBridge();
  await attempt('Exceptions not exported', async () => {
    const grant = await bridge.call('dialogs.save', { suggestedName: `exceptions.${format}`, kind: format });
    if (grant === null) return;
    const { page: _, size: __, ...criteria } = searchBody(search, 0, Date.now());
    const written = await bridge.call('exceptions.export', {
      connectionId,
      search: criteria,
      ...(ids === null ? {} : { ids: [...ids] }),
      format,
      grantId: grant.grantId,
    });
    showExported(plural(written.count, 'exception'), written);
  });
}

function ExportButton(props: {
  connectionId: string | null;
  exceptions: Exceptions;
  selected: readonly string[];
}): JSX.Element {
  const { connectionId, exceptions, selected } = props;
  const unexported = useClearFilesOff();
  const all = exceptions.total === null ? 'All' : `All ${exact(exceptions.total)}`;
  const what = selected.length > 0 ? `${exact(selected.length)} selected` : all;
  const [exporting, setExporting] = useState(false);
  const exportAs = (format: ListFormat) => {
    if (connectionId === null) return;
    setExporting(true);
    const ids = selected.length > 0 ? selected : null;
    void exportList(connectionId, exceptions.search, ids, format).finally(() => setExporting(false));
  };
  return (
    <MenuPopover
      content={menuOf('Export', [
        { text: `${what} as CSV`, run: () => exportAs('csv') },
        { text: `${what} as JSON`, run: () => exportAs('json') },
      ])}
      placement="bottom-end"
    >
      <Button
        icon={<Export size={14} />}
        text="Export"
        aria-haspopup="menu"
        loading={exporting}
        disabled={unexported !== null}
        title={unexported ?? undefined}
      />
    </MenuPopover>
  );
}

type ListChoice = 'all' | 'allow' | 'block';

export function ExceptionsHeader(props: {
  connectionId: string | null;
  exceptions: Exceptions;
  searchBox: RefObject<HTMLInputElement | null>;
  /** Ids of the selected entries; without any, the whole search result is exported. */
  selected: readonly string[];
  /** Null if this connection takes no new entries. */
  adding: { create: Command; paste: Command } | null;
}): JSX.Element {
  const { connectionId, exceptions, searchBox, selected, adding } = props;
  const { search, setSearch, first } = exceptions;
  const { wide } = useBreakpoint();
  const list: ListChoice = search.type === 'allow' || search.type === 'block' ? search.type : 'all';
  return (
    <PageHeader
      title="Exceptions"
      freshness={<FreshnessMark {...ageOf(first)} />}
      filters={
        <>
          <SearchBox
            className="pp-exc-search"
            inputRef={searchBox}
            label="Search values and comments"
            placeholder="Search values and comments"
            text={search.text}
            onText={(text) => setSearch({ ...search, text })}
          />
          <SearchCap text={search.text} most={SEARCH_MOST} />
          <Select
            aria-label="Added within"
            value={search.window}
            options={WINDOWS}
            onChange={(window) => setSearch({ ...search, window })}
          />
          {wide ? (
            <Segmented<ListChoice>
              label="List"
              options={[
                { value: 'all', label: 'Allow and block' },
                { value: 'allow', label: 'Allow' },
                { value: 'block', label: 'Block' },
              ]}
              value={list}
              onChange={(next) => setSearch({ ...search, type: next === 'all' ? null : next })}
            />
          ) : null}
        </>
      }
      actions={
        <>
          {adding === null ? null : <CommandButton command={adding.paste} isBare={!wide} />}
          <ExportButton connectionId={connectionId} exceptions={exceptions} selected={selected} />
          {adding === null ? null : <CommandButton command={adding.create} isPrimary />}
        </>
      }
    />
  );
}
