import { type JSX, type ReactNode, useEffect, useRef, useState } from 'react';
import { CommandButton, useCommands } from '#renderer/commands/command.tsx';
import { hint, RULES } from '#renderer/commands/keys.ts';
import { moveKeys, selectKeys } from '#renderer/commands/list-keys.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { onJobControl } from '#renderer/state/jobs.ts';
import { useTabStatus } from '#renderer/state/tab-context.ts';
import { usePayload } from '#renderer/state/tab-payload.ts';
import { ConfirmDialog } from '#renderer/ui/dialog.tsx';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import type { GridHandle } from '#renderer/ui/grid/grid-handle.ts';
import { JobRow } from '#renderer/ui/job-row.tsx';
import { PageHeader } from '#renderer/ui/page-header.tsx';
import { plural } from '#shared/model/format.ts';
import { beginEditing, currentEditing, endEditing, isUnsaved, useEditing } from './editor-store.ts';
import { ImportRulesDialog } from './import-dialog.tsx';
import { RemoveRulesDialog } from './remove-dialog.tsx';
import { RuleEditor } from './rule-editor.tsx';
import { formOf } from './rule-form.ts';
import { commandsOf, type RuleDialog } from './rules-commands.ts';
import { RulesGrid } from './rules-grid.tsx';
import { type RuleRow, type Rules, useRules } from './use-rules.ts';
import './rules.css';

const HINTS = [
  hint('move', RULES.next, RULES.previous),
  hint('hits', RULES.hits),
  hint('edit', RULES.edit),
  hint('enable', RULES.enable),
];
const NO_ROWS: readonly RuleRow[] = [];

function Bars({ rules }: { rules: Rules }): JSX.Element {
  const { rows, error, outcomeError, job, refresh } = rules;
  return (
    <>
      {error !== null && rows !== null ? (
        <ErrorBar error={error} shownInstead="Showing an older list." onRetry={refresh} />
      ) : null}
      {outcomeError === null ? null : (
        <ErrorBar error={outcomeError} notKnown="What the rules found is unknown." onRetry={refresh} />
      )}
      {job === null ? null : <JobRow job={job} onControl={onJobControl} />}
    </>
  );
}

function RuleDialogs(props: {
  dialog: RuleDialog;
  rows: readonly RuleRow[];
  onClose: () => void;
}): JSX.Element {
  const { dialog, rows, onClose } = props;
  if (dialog.kind === 'import')
    return <ImportRulesDialog plan={dialog.plan} existing={rows.map(({ rule }) => rule)} onClose={onClose} />;
  if (dialog.kind === 'remove') return <RemoveRulesDialog rows={dialog.rows} onClose={onClose} />;
  const discard = () => {
    onClose();
    dialog.then();
  };
  return (
    <ConfirmDialog
      size="narrow"
      title="Discard changes?"
      onClose={onClose}
      onConfirm={discard}
      closeText="Keep editing"
      confirm={{ text: 'Discard', intent: 'danger' }}
    >
      <p>Your changes to this rule are not saved.</p>
    </ConfirmDialog>
  );
}

interface ListProps {
  connectionId: string;
  rules: Rules;
  /** The rule that gets the focus once it is listed. */
  toFocus: string | null;
  isCovered: boolean;
  open: (dialog: RuleDialog) => void;
}

function RuleList({ connectionId, rules, toFocus, isCovered, open }: ListProps): JSX.Element {
  const grid = useRef<GridHandle<RuleRow> | null>(null);
  const [selected, setSelected] = useState<readonly string[]>([]);
  const [focused, setFocused] = useState<string | null>(null);
  const rows = rules.rows ?? NO_ROWS;
  const rowsOf = (ids: readonly string[]) => rows.filter(({ rule }) => ids.includes(rule.id));
  const selectedRows = rowsOf(selected);
  const chosen = selectedRows.length > 0 ? selectedRows : rowsOf(focused === null ? [] : [focused]);
  const commands = commandsOf({ connectionId, rules, chosen, selected: selectedRows, open });
  const { hits, create, edit, enable, remove, run, exportFile, importFile } = commands;
  useCommands(Object.values(commands), !isCovered);
  useCommands([...moveKeys(RULES, grid), ...selectKeys(RULES, grid)]);
  useTabStatus({
    ...(rules.rows === null
      ? {}
      : {
          message:
            selectedRows.length > 0
              ? `${plural(selectedRows.length, 'rule')} selected`
              : plural(rows.length, 'rule'),
        }),
    hints: HINTS,
  });
  const awaited = useRef<string | null>(null);
  useEffect(() => {
    awaited.current = toFocus;
  }, [toFocus]);
  useEffect(() => {
    const row = awaited.current === null ? null : grid.current?.find(awaited.current);
    if (row == null || !rows.some(({ rule }) => rule.id === awaited.current)) return;
    awaited.current = null;
    grid.current?.focusRow(row.index);
  });
  const buttons: ReactNode = [hits, edit, enable, remove, exportFile, importFile, run].map((command) => (
    <CommandButton key={command.text} command={command} />
  ));
  return (
    <div className="pp-three-panes">
      <PageHeader
        title="Rules"
        actions={
          <>
            {buttons}
            <CommandButton command={create} isPrimary />
          </>
        }
      />
      <Bars rules={rules} />
      <div className="ru-list">
        <RulesGrid
          rules={rules}
          handle={grid}
          empty={{
            title: 'No rules',
            reason:
              'Rules find mail beside the checks of Parapet: conditions, lists of indicators, YARA and MQL.',
            action: <CommandButton command={importFile} />,
          }}
          onSelected={setSelected}
          onFocused={setFocused}
        />
      </div>
    </div>
  );
}

function RulesOf({ connectionId }: { connectionId: string }): JSX.Element {
  const rules = useRules(connectionId);
  const editing = useEditing();
  const [dialog, setDialog] = useState<RuleDialog | null>(null);
  const [toFocus, setToFocus] = useState<string | null>(null);
  /** Runs at once, or after asking if changes would be lost. */
  const unlessUnsaved = (then: () => void) => {
    const current = currentEditing();
    if (current === null || !isUnsaved(current)) then();
    else setDialog({ kind: 'discard', then });
  };
  usePayload('rules', true, (prefill) => unlessUnsaved(() => beginEditing(formOf(prefill))));
  return (
    <>
      {editing === null ? (
        <RuleList
          connectionId={connectionId}
          rules={rules}
          toFocus={toFocus}
          isCovered={dialog !== null}
          open={setDialog}
        />
      ) : (
        <RuleEditor
          editing={editing}
          rows={rules.rows ?? NO_ROWS}
          hasKeys={dialog === null}
          onCancel={() => {
            setToFocus(editing.rule?.id ?? null);
            unlessUnsaved(endEditing);
          }}
          onSaved={({ id }) => setToFocus(id)}
        />
      )}
      {dialog === null ? null : (
        <RuleDialogs dialog={dialog} rows={rules.rows ?? NO_ROWS} onClose={() => setDialog(null)} />
      )}
    </>
  );
}

export default function RulesScreen(): JSX.Element {
  const { connection } = useConnection();
  if (connection?.kind !== 'evidence')
    return (
      <EmptyState title="No evidence" reason="Rules apply to mail evidence. Open a folder or mailbox." />
    );
  return <RulesOf connectionId={connection.id} />;
}
