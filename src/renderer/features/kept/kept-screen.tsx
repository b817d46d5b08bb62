import { Button } from '@blueprintjs/core';
import { Disable } from '@blueprintjs/icons';
import { type JSX, type RefObject, useMemo, useRef, useState } from 'react';
import { useCommands } from '#renderer/commands/command.tsx';
import { KEPT } from '#renderer/commands/keys.ts';
import { isInGrid, moveKeys, previewKey, searchKey } from '#renderer/commands/list-keys.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { openProfile } from '#renderer/state/navigation.ts';
import { type NeighbourSource, setListPlace } from '#renderer/state/neighbours.ts';
import { unpinAll } from '#renderer/state/offline-pins.ts';
import { usePanelWidth } from '#renderer/state/preferences.ts';
import type { ScreenProps } from '#renderer/state/tab-context.ts';
import { useTabStatus, useWhileShown } from '#renderer/state/tab-context.ts';
import { usePayload } from '#renderer/state/tab-payload.ts';
import type { EmptyInfo } from '#renderer/ui/empty-state.tsx';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import { FacetGroup } from '#renderer/ui/facet-group.tsx';
import { SearchBox } from '#renderer/ui/form/search-box.tsx';
import { Segmented } from '#renderer/ui/form/segmented.tsx';
import type { GridHandle } from '#renderer/ui/grid/grid-handle.ts';
import { PageHeader } from '#renderer/ui/page-header.tsx';
import { ThreePanes } from '#renderer/ui/three-panes.tsx';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import { KEPT_FIELDS, type KeptProfile, SEARCH_MOST } from '#shared/bridge/operations.ts';
import { refang } from '#shared/model/defang.ts';
import { searchTerms } from '#shared/query/text.ts';
import { KeptDetail } from './kept-detail.tsx';
import { idOf, KeptGrid } from './kept-grid.tsx';
import {
  FIELD_LABELS,
  gapNotes,
  HINTS,
  listedOf,
  MATCH_OPTIONS,
  matchingWords,
  OWN_CHECKS,
  TITLE,
} from './labels.ts';
import { type Kept, type KeptFilter, useKept } from './use-kept.ts';
import './kept.css';

const NO_FILTER: KeptFilter = { text: '', whole: false, fields: [], apart: false };

/** The search words, as typed and refanged. */
const termsOf = (text: string): string[] => [
  ...new Set([...searchTerms(text), ...searchTerms(refang(text))]),
];

function useKeptKeys(options: {
  grid: RefObject<GridHandle<KeptProfile> | null>;
  search: RefObject<HTMLInputElement | null>;
  peek: (id: string) => void;
  /** False if there is none. */
  open: () => boolean;
}): void {
  const { grid, search, peek, open } = options;
  useCommands([
    ...moveKeys(KEPT, grid),
    { ...KEPT.open, run: (event) => (isInGrid(event) ? false : open()) },
    previewKey(KEPT, grid, (row) => peek(idOf(row))),
    searchKey(KEPT, search),
  ]);
}

/** Why the list is empty, or null if it is not, or is still loading. */
function emptyOf({ answer, answered }: Kept, clear: () => void): EmptyInfo | null {
  if (answer === null || answered === null || answer.matching > 0) return null;
  if (answer.profiles === 0)
    return {
      title: 'Nothing saved for offline',
      reason: 'Open an email from a list, then choose “Make available offline” in its menu.',
    };
  return {
    title: 'No matches',
    reason: [matchingWords(answer, true), ...gapNotes(answer)].join('. '),
    action: <Button text="Clear search" onClick={clear} />,
  };
}

function KeptHeader(props: {
  kept: Kept;
  filter: KeptFilter;
  onFilter: (filter: KeptFilter) => void;
  search: RefObject<HTMLInputElement | null>;
}): JSX.Element {
  const { kept, filter, onFilter, search } = props;
  const { wide } = useBreakpoint();
  return (
    <PageHeader
      title={TITLE}
      filters={
        <>
          <SearchBox
            className="pp-kept-search"
            inputRef={search}
            label="Search saved profiles"
            placeholder={wide ? 'Search subjects, addresses, bodies, headers, links' : 'Search all text'}
            text={filter.text}
            onText={(text) => onFilter({ ...filter, text: text.slice(0, SEARCH_MOST) })}
          />
          <Segmented
            label="Match"
            options={MATCH_OPTIONS}
            value={filter.whole ? 'whole' : 'text'}
            onChange={(way) => onFilter({ ...filter, whole: way === 'whole' })}
          />
        </>
      }
      actions={
        <Button
          icon={<Disable size={14} />}
          text="Release all"
          title="Cached profiles may be removed when space is needed"
          disabled={!kept.answer?.profiles}
          onClick={() => void unpinAll()}
        />
      }
    />
  );
}

/** What the search does not cover, shown below the header. */
function Gaps({ kept }: { kept: Kept }): JSX.Element | null {
  const { answer, error, refresh } = kept;
  const notes = answer === null ? [] : gapNotes(answer);
  if (answer !== null && answer.rows.length < answer.matching)
    notes.push(listedOf(answer.rows.length, answer.matching));
  return (
    <>
      {error !== null && answer !== null ? (
        <ErrorBar error={error} shownInstead="Showing the previous search." onRetry={refresh} />
      ) : null}
      {answer?.indexError ? (
        <ErrorBar
          error={{ code: 'internal', message: answer.indexError, retryable: true }}
          notKnown="What is not indexed is not searched."
          onRetry={refresh}
        />
      ) : null}
      {notes.length > 0 ? (
        <p className="pp-caution" role="status">
          {notes.join(' ')}
        </p>
      ) : null}
    </>
  );
}

/** Opens a row with the search words highlighted; J and K continue from it. */
function openRow(rows: readonly KeptProfile[], row: KeptProfile, terms: readonly string[], tabId: string) {
  const neighbour = ({ kind, saas, entityId, title }: KeptProfile) => ({
    kind,
    saas,
    entityId,
    title: title ?? undefined,
  });
  const source: NeighbourSource = {
    label: TITLE,
    tabId,
    sought: terms,
    count: rows.length,
    rows: async (start, end) => rows.slice(start, end).map(neighbour),
  };
  setListPlace(openProfile(neighbour(row)), { source, index: rows.indexOf(row) });
}

/** Profiles saved for offline use: a list with full-text search. */
export default function KeptScreen({ tabId }: ScreenProps<'kept'>): JSX.Element {
  const { connection } = useConnection();
  const [filter, setFilter] = useState<KeptFilter>(NO_FILTER);
  const [peekedId, setPeekedId] = useState<string | null>(null);
  const kept = useKept(connection?.id ?? null, filter);
  const { answer, answered, error, refresh } = kept;
  const leftWidth = usePanelWidth('kept-fields');
  const rightWidth = usePanelWidth('kept-detail');
  const grid = useRef<GridHandle<KeptProfile> | null>(null);
  const search = useRef<HTMLInputElement | null>(null);
  const rows = useWhileShown(answer?.rows ?? []);
  const sought = answered?.text ?? '';
  const terms = useMemo(() => termsOf(sought), [sought]);
  const isSearched = terms.length > 0;
  const peeked = rows.find((row) => idOf(row) === peekedId) ?? rows[0] ?? null;
  const open = (row: KeptProfile) => openRow(rows, row, terms, tabId);
  usePayload('kept', connection !== null, ({ text }) => setFilter({ ...NO_FILTER, text }));
  useKeptKeys({
    grid,
    search,
    peek: setPeekedId,
    open: () => {
      const row = grid.current?.focusedRow() ?? peeked;
      if (row) open(row);
      return row !== null;
    },
  });
  useTabStatus({
    ...(answer === null ? {} : { message: matchingWords(answer, isSearched) }),
    hints: HINTS,
  });
  return (
    <ThreePanes
      className="pp-kept"
      header={<KeptHeader kept={kept} filter={filter} onFilter={setFilter} search={search} />}
      bars={<Gaps kept={kept} />}
      left={{
        label: 'Search in',
        defaultWidth: [208, 176],
        width: leftWidth,
        content: (
          <div className="pp-filters">
            <FacetGroup
              label="Search in"
              values={KEPT_FIELDS.map((field) => ({
                value: field,
                label: FIELD_LABELS[field],
                ...(isSearched && answer ? { count: answer.fields[field] ?? 0 } : {}),
              }))}
              chosen={filter.fields}
              onChange={(fields) =>
                setFilter({ ...filter, fields: KEPT_FIELDS.filter((field) => fields.includes(field)) })
              }
            />
            <FacetGroup
              label={OWN_CHECKS}
              values={[{ value: 'apart', label: 'Disagree', count: answer?.apart ?? 0 }]}
              chosen={filter.apart ? ['apart'] : []}
              onChange={(chosen) => setFilter({ ...filter, apart: chosen.length > 0 })}
            />
          </div>
        ),
      }}
      right={{
        label: 'Preview',
        defaultWidth: [384, 304],
        width: rightWidth,
        content: <KeptDetail row={peeked} terms={terms} onOpen={open} />,
      }}
    >
      <KeptGrid
        rows={rows}
        terms={terms}
        loading={answer === null && error === null}
        error={answer === null ? error : null}
        onRetry={refresh}
        empty={emptyOf(kept, () => setFilter(NO_FILTER))}
        handle={grid}
        peekedId={peeked && idOf(peeked)}
        onPeek={setPeekedId}
        onOpen={open}
      />
    </ThreePanes>
  );
}
