import { type JSX, type RefObject, useMemo, useRef } from 'react';
import { receivedDoubt } from '#renderer/entity/date-doubt.ts';
import { useFollowedLayout, useLayout } from '#renderer/state/layout.ts';
import type { EmptyInfo } from '#renderer/ui/empty-state.tsx';
import { ListGrid } from '#renderer/ui/grid/data-grid.tsx';
import { columnsFor, type GridColumn } from '#renderer/ui/grid/grid-columns.tsx';
import type { GridHandle } from '#renderer/ui/grid/grid-handle.ts';
import { useZoned } from '#renderer/ui/grid/zoned-columns.ts';
import { useHighlight } from '#renderer/ui/use-highlight.ts';
import { VerdictChip } from '#renderer/ui/verdict-chip.tsx';
import type { BridgeError } from '#shared/bridge/error-shape.ts';
import type { KeptProfile } from '#shared/bridge/operations.ts';
import { visibleText } from '#shared/model/format.ts';
import { NOTHING_FOUND } from '#shared/model/verdict.ts';
import { contentLabel, FIELD_LABELS, KIND_LABELS, OWN_CHECKS } from './labels.ts';

const { column, sorted } = columnsFor<KeptProfile>();

export const idOf = ({ kind, saas, entityId }: KeptProfile): string => `${kind} ${saas} ${entityId}`;

/** Subject and sender have columns of their own, so matches in other fields are shown first. */
const matchOf = ({ hits }: KeptProfile) =>
  hits.find(({ field }) => field !== 'subject' && field !== 'sender') ?? hits[0] ?? null;

const receivedTime = ({ received }: KeptProfile) =>
  received === null ? null : new Date(received).toISOString();

const MATCH = column('match', 'Match', 'text', [1, 280], (row) => matchOf(row)?.line ?? null, {
  notApplicable: (row) => matchOf(row) === null,
  tooltip: (row) => {
    const hit = matchOf(row);
    return hit && `${FIELD_LABELS[hit.field]}: ${visibleText(hit.line)}`;
  },
});

const keptColumns = (isSearched: boolean): GridColumn<KeptProfile>[] => [
  sorted('title', 'Subject or name', 'name', 248, (row) => row.title ?? row.entityId, { pinned: 'left' }),
  sorted('verdict', 'Verdict', 'verdict', 128, ({ verdict }) => verdict, {
    notApplicable: ({ verdict }) => verdict === null,
    render: ({ verdict, verdictCode }) =>
      verdict === null ? null : <VerdictChip verdict={verdict} code={verdictCode ?? undefined} compact />,
  }),
  sorted('own', OWN_CHECKS, 'verdict', 128, ({ own }) => own?.verdict, {
    notApplicable: ({ own }) => own === null,
    tooltip: ({ own }) => own && (own.reason ?? 'They found nothing. That does not make it clean.'),
    render: ({ own }) =>
      own === null ? null : <VerdictChip verdict={own.verdict ?? NOTHING_FOUND} compact />,
  }),
  ...(isSearched ? [MATCH] : []),
  sorted('from', 'From', 'address', 200, ({ from }) => from),
  sorted('received', 'Received', 'time', 128, receivedTime, {
    doubt: receivedDoubt,
    notApplicable: ({ received }) => received === null,
  }),
  sorted('kind', 'Kind', 'text', 76, ({ kind }) => KIND_LABELS[kind]),
  sorted('content', 'Content', 'text', 116, contentLabel, {
    headerTooltip: 'What of it is on this machine and searched',
    render: (row) => (
      <span className={row.isWaiting || row.isCut || row.lacks.length > 0 ? 'pp-kept-gap' : 'pp-t3'}>
        {contentLabel(row)}
      </span>
    ),
  }),
];

export function KeptGrid(props: {
  rows: readonly KeptProfile[];
  /** Folded words to highlight. */
  terms: readonly string[];
  loading: boolean;
  error: BridgeError | null;
  onRetry: () => void;
  empty: EmptyInfo | null;
  handle: RefObject<GridHandle<KeptProfile> | null>;
  peekedId: string | null;
  onPeek: (id: string) => void;
  onOpen: (row: KeptProfile) => void;
}): JSX.Element | null {
  const { terms, onPeek } = props;
  const isSearched = terms.length > 0;
  const kind = isSearched ? 'match' : 'all';
  const [layout, setLayout] = useLayout(`kept-${kind}`);
  useFollowedLayout(`kept-${kind}`, (theirs) => props.handle.current?.followLayout(theirs?.columns ?? []));
  const root = useRef<HTMLDivElement>(null);
  const columns = useZoned(useMemo(() => keptColumns(isSearched), [isSearched]));
  useHighlight(root, [{ terms, columns: ['title', 'match', 'from'] }]);
  if (layout === undefined) return null;
  return (
    <div ref={root} className="pp-kept-grid">
      <ListGrid<KeptProfile>
        label="Saved profiles"
        rows={props.rows}
        columns={columns}
        rowId={idOf}
        selectable={false}
        layoutKey={kind}
        {...(layout ? { columnState: layout.columns, sort: layout.sort ?? [] } : {})}
        onColumnStateChange={(next) => setLayout({ ...layout, columns: next })}
        onSortChange={(sort) => setLayout({ columns: layout?.columns ?? [], sort })}
        onRowOpened={props.onOpen}
        onRowFocused={(row) => onPeek(idOf(row))}
        onPeek={(row) => onPeek(idOf(row))}
        peekedId={props.peekedId}
        loading={props.loading}
        error={props.error}
        errorTitle="The saved profiles could not be read"
        onRetry={props.onRetry}
        empty={props.empty}
        handle={props.handle}
      />
    </div>
  );
}
