import { type JSX, type RefObject, useMemo } from 'react';
import { useFollowedLayout, useLayout } from '#renderer/state/layout.ts';
import type { EmptyInfo } from '#renderer/ui/empty-state.tsx';
import { ListGrid } from '#renderer/ui/grid/data-grid.tsx';
import { columnsFor } from '#renderer/ui/grid/grid-columns.tsx';
import type { GridHandle } from '#renderer/ui/grid/grid-handle.ts';
import { SeverityMark } from '#renderer/ui/severity.tsx';
import { visibleText } from '#shared/model/format.ts';
import { RULE_KIND_LABELS } from '#shared/rules/rule.ts';
import { openHits } from './rule-actions.ts';
import type { RuleRow, Rules } from './use-rules.ts';

const { sorted } = columnsFor<RuleRow>();

/** What is to be known of a rule: whether its hits are all there are, and why not. */
export function stateWords({ rule, outcome }: RuleRow): string {
  if (!rule.isEnabled) return 'Disabled: no hits';
  if (outcome === null) return 'Unknown: not in this evidence yet';
  if (outcome.state === 'failed') return `Failed: ${outcome.reason ?? 'no reason is recorded'}`;
  if (outcome.state === 'pending') return 'Not all mail checked yet';
  return outcome.reason === null ? 'All mail checked' : `Checked, but: ${outcome.reason}`;
}

function toneOf({ rule, outcome }: RuleRow): string | undefined {
  if (!rule.isEnabled) return 'pp-t3';
  if (outcome?.state === 'failed') return 'pp-danger';
  return outcome?.state === 'applied' && outcome.reason === null ? undefined : 'pp-caution';
}

const COLUMNS = [
  sorted('name', 'Name', 'name', [1, 180], ({ rule }) => visibleText(rule.name), {
    pinned: 'left',
    tooltip: ({ rule }) => `${visibleText(rule.name)}\n${visibleText(rule.sentence)}`,
  }),
  sorted('kind', 'Kind', 'text', 104, ({ rule }) => RULE_KIND_LABELS[rule.kind]),
  sorted('severity', 'Severity', 'text', 108, ({ rule }) => rule.severity, {
    render: ({ rule }) => <SeverityMark severity={rule.severity} />,
  }),
  sorted('enabled', 'Enabled', 'boolean', 80, ({ rule }) => rule.isEnabled),
  sorted('hits', 'Hits', 'count', 88, ({ outcome }) => outcome?.hits ?? null, {
    headerTooltip: 'Emails of this evidence that it finds',
    notApplicable: ({ rule }) => !rule.isEnabled,
  }),
  sorted('false', 'False positives', 'count', 112, ({ outcome }) => outcome?.false_positives ?? null, {
    headerTooltip: 'Emails of this evidence with a hit that you marked as a false positive',
    notApplicable: ({ rule }) => !rule.isEnabled,
  }),
  sorted('state', 'State', 'text', [1, 220], stateWords, {
    render: (row) => <span className={toneOf(row)}>{visibleText(stateWords(row))}</span>,
  }),
];

export function RulesGrid(props: {
  rules: Rules;
  handle: RefObject<GridHandle<RuleRow> | null>;
  empty: EmptyInfo;
  onSelected: (ids: string[]) => void;
  onFocused: (id: string) => void;
}): JSX.Element | null {
  const { rows, error, refresh } = props.rules;
  const [layout, setLayout] = useLayout('rules');
  useFollowedLayout('rules', (theirs) => props.handle.current?.followLayout(theirs?.columns ?? []));
  const shown = useMemo(() => rows ?? [], [rows]);
  if (layout === undefined) return null;
  return (
    <ListGrid<RuleRow>
      label="Rules"
      rows={shown}
      columns={COLUMNS}
      rowId={({ rule }) => rule.id}
      layoutKey="rules"
      {...(layout ? { columnState: layout.columns, sort: layout.sort ?? [] } : {})}
      onColumnStateChange={(columns) => setLayout({ ...layout, columns })}
      onSortChange={(sort) => setLayout({ columns: layout?.columns ?? [], sort })}
      onSelectionChanged={props.onSelected}
      onRowFocused={({ rule }) => props.onFocused(rule.id)}
      onRowOpened={({ rule }) => void openHits(rule)}
      isMuted={({ rule }) => !rule.isEnabled}
      loading={rows === null && error === null}
      error={rows === null ? error : null}
      errorTitle="Rules could not be read"
      onRetry={refresh}
      empty={rows?.length === 0 ? props.empty : null}
      handle={props.handle}
    />
  );
}
