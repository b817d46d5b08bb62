import { Clipboard, Plus } from '@blueprintjs/icons';
import { type JSX, type RefObject, useCallback, useMemo, useRef, useState } from 'react';
import { type Command, useCommands } from '#renderer/commands/command.tsx';
import { CLOSE, EXCEPTIONS } from '#renderer/commands/keys.ts';
import { isInGrid, moveKeys, searchKey, selectKeys } from '#renderer/commands/list-keys.ts';
import { useBranding } from '#renderer/entity/use-entity-stack.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { copyText } from '#renderer/state/entity-actions.ts';
import { usePanelWidth } from '#renderer/state/preferences.ts';
import { useTabStatus } from '#renderer/state/tab-context.ts';
import { type ExceptionSelection, usePayload } from '#renderer/state/tab-payload.ts';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import type { GridHandle } from '#renderer/ui/grid/grid-handle.ts';
import { ThreePanes } from '#renderer/ui/three-panes.tsx';
import { flagsOf } from '#shared/model/flags.ts';
import { type Branding, canonicalTool } from '#shared/model/white-label.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import { EditorPanel } from './editor-panel.tsx';
import { beginEditing, useEditing } from './editor-store.ts';
import type { EntryRow } from './entry.ts';
import { EntryDetail } from './entry-detail.tsx';
import { ExceptionsFacets } from './exceptions-facets.tsx';
import { ExceptionsGrid } from './exceptions-grid.tsx';
import { ExceptionsHeader } from './exceptions-header.tsx';
import {
  ANTI_PHISHING,
  type ExceptionForm,
  emptyForm,
  type Flags,
  formOf,
  formOfEntry,
  typeChoices,
  withFurther,
} from './form.ts';
import { countsText, HINTS } from './labels.ts';
import { DEFAULT_SEARCH } from './search.ts';
import { type Exceptions, useExceptions } from './use-exceptions.ts';
import './exceptions.css';

function useExceptionsKeys(options: {
  grid: RefObject<GridHandle<EntryRow> | null>;
  searchBox: RefObject<HTMLInputElement | null>;
  show: (row: EntryRow) => void;
  /** Null if this connection takes no new entries. */
  adding: { create: Command; paste: Command } | null;
  /** False if nothing was open. */
  close: () => boolean;
}): void {
  const { grid, searchBox, show, adding, close } = options;
  const withRow = (act: (row: EntryRow) => void) => {
    const row = grid.current?.focusedRow();
    if (row) act(row);
    return row !== undefined;
  };
  useCommands([
    ...moveKeys(EXCEPTIONS, grid),
    ...selectKeys(EXCEPTIONS, grid),
    { ...EXCEPTIONS.show, run: (event) => (isInGrid(event) ? false : withRow(show)) },
    {
      ...EXCEPTIONS.copy,
      run: () => withRow(({ entry }) => void copyText(entry.string, 'Value copied')),
    },
    ...(adding === null ? [] : [adding.create, adding.paste]),
    searchKey(EXCEPTIONS, searchBox),
    { ...CLOSE, run: close },
  ]);
}

/** An empty entry for the tool that the list shows, or for anti-phishing. */
function newEntry(shownTool: string | null, product: string, flags: Flags): ExceptionForm {
  const tool = shownTool === null ? ANTI_PHISHING : canonicalTool(shownTool, product);
  const choices = typeChoices(tool, flags, null);
  const initialTool = choices.length > 0 ? tool : ANTI_PHISHING;
  const form = emptyForm(initialTool, choices.length > 0 ? choices : typeChoices(initialTool, flags, null));
  return withFurther(form, flags, 'and');
}

function ListErrors(props: { exceptions: Exceptions; onReload: () => void }): JSX.Element {
  const { first, blockError, unheeded, isToolUnsaid } = props.exceptions;
  return (
    <>
      {unheeded.length > 0 ? (
        <p className="pp-caution" role="status">
          The service ignored {unheeded.join(', ')} of the search: other entries are listed as well.
        </p>
      ) : null}
      {isToolUnsaid ? (
        <p className="pp-caution" role="status">
          The service doesn’t say which tool each entry belongs to.
        </p>
      ) : null}
      {first.error && first.data ? (
        <ErrorBar error={first.error} shownInstead="Showing the saved list." onRetry={first.refresh} />
      ) : null}
      {/* Without any entry the list itself shows the error. */}
      {blockError && first.data ? (
        <ErrorBar error={blockError} shownInstead="Some rows could not be loaded." onRetry={props.onReload} />
      ) : null}
    </>
  );
}

/** What is open beside the list: a listed entry, or else the form of a new one. */
function useBeside(connectionId: string | null) {
  const editing = useEditing(connectionId);
  const [shown, show] = useState<EntryRow | null>(null);
  const edit = useCallback(
    (form: ExceptionForm | null) => {
      if (connectionId === null || form === null) return;
      show(null);
      beginEditing(connectionId, form);
    },
    [connectionId],
  );
  return { editing, shown, show, edit };
}

function Beside(props: {
  connectionId: string;
  beside: ReturnType<typeof useBeside>;
  branding: Branding;
  flags: Flags;
  onSaved: () => void;
}): JSX.Element | null {
  const { beside, ...shared } = props;
  const { shown, editing, show, edit } = beside;
  if (shown)
    return (
      <EntryDetail
        key={shown.id}
        row={shown}
        connectionId={shared.connectionId}
        branding={shared.branding}
        onClose={() => show(null)}
        onShow={show}
        onCopy={() => edit(formOfEntry(shown.tool, shown.entry))}
      />
    );
  return editing ? <EditorPanel {...shared} editing={editing} onShow={show} /> : null;
}

/** Allow and block lists of all tools, with an editor for new entries. */
export default function ExceptionsScreen(): JSX.Element {
  const { connection } = useConnection();
  const branding = useBranding();
  const ownFlags = connection?.flags;
  const flags = useMemo(() => flagsOf(ownFlags ?? {}), [ownFlags]);
  const connectionId = connection?.id ?? null;
  const { product } = branding;
  const exceptions = useExceptions(connectionId, product);
  const { search, setSearch, first, total, counts } = exceptions;
  const beside = useBeside(connectionId);
  const { shown, editing, show, edit } = beside;
  const [selected, setSelected] = useState<string[]>([]);
  const [bulk, setBulk] = useState<{ selection: ExceptionSelection | null } | null>(null);
  const facetsWidth = usePanelWidth('exceptions-facets');
  const sideWidth = usePanelWidth('exceptions-side');
  const grid = useRef<GridHandle<EntryRow> | null>(null);
  const searchBox = useRef<HTMLInputElement | null>(null);

  const create = useCallback(
    () => edit(newEntry(search.tool, product, flags)),
    [edit, search.tool, product, flags],
  );

  usePayload('exceptions', connectionId !== null, (payload) => {
    if ('tool' in payload) setSearch({ ...DEFAULT_SEARCH, tool: payload.tool });
    else if ('selection' in payload) setBulk(payload);
    else edit(formOf(payload.prefill, (type) => typeChoices(type, flags, null)));
  });

  const adding =
    connection?.kind === 'evidence'
      ? null
      : {
          create: { ...EXCEPTIONS.create, icon: Plus, run: create },
          paste: { ...EXCEPTIONS.paste, icon: Clipboard, run: () => setBulk({ selection: null }) },
        };
  useExceptionsKeys({
    grid,
    searchBox,
    show,
    adding,
    close: () => {
      show(null);
      return shown !== null;
    },
  });

  const shared = connectionId === null ? null : { connectionId, branding, flags, onSaved: first.refresh };
  const sum = counts?.reduce((all, { count }) => all + count, 0) ?? total;
  useTabStatus({
    ...(first.data ? { message: countsText(total, sum, selected.length) } : {}),
    hints: HINTS,
  });

  return (
    <>
      <ThreePanes
        className="pp-exc-screen"
        header={
          <ExceptionsHeader
            connectionId={connectionId}
            exceptions={exceptions}
            searchBox={searchBox}
            selected={selected}
            adding={adding}
          />
        }
        bars={<ListErrors exceptions={exceptions} onReload={() => grid.current?.refresh()} />}
        left={{
          label: 'Tools',
          defaultWidth: [208, 176],
          width: facetsWidth,
          content: <ExceptionsFacets exceptions={exceptions} branding={branding} flags={flags} />,
        }}
        right={
          shared && (shown || editing)
            ? {
                label: shown ? 'Details' : 'New exception',
                defaultWidth: [480, 400],
                width: sideWidth,
                content: <Beside {...shared} beside={beside} />,
              }
            : null
        }
      >
        <ExceptionsGrid
          exceptions={exceptions}
          branding={branding}
          handle={grid}
          shownId={shown?.id ?? null}
          onShow={show}
          onFocused={(row) => {
            if (shown) show(row);
          }}
          onSelected={setSelected}
          create={adding?.create ?? null}
        />
      </ThreePanes>
      {bulk && shared ? (
        <BulkDialog {...shared} selection={bulk.selection} onClose={() => setBulk(null)} />
      ) : null}
    </>
  );
}
