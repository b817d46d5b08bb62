import { Button } from '@blueprintjs/core';
import { Export, Import, Play, SearchText, Trash } from '@blueprintjs/icons';
import { type JSX, type ReactNode, useRef, useState } from 'react';
import { type Command, CommandButton, useCommands } from '#renderer/commands/command.tsx';
import { hint, RULES } from '#renderer/commands/keys.ts';
import { isInGrid, moveKeys, selectKeys } from '#renderer/commands/list-keys.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { useHotkeys } from '#renderer/state/hotkeys.ts';
import { onJobControl } from '#renderer/state/jobs.ts';
import { useTabStatus } from '#renderer/state/tab-context.ts';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import type { GridHandle } from '#renderer/ui/grid/grid-handle.ts';
import { JobRow } from '#renderer/ui/job-row.tsx';
import { PageHeader } from '#renderer/ui/page-header.tsx';
import { plural } from '#shared/model/format.ts';
import { ImportRulesDialog } from './import-dialog.tsx';
import { RemoveRulesDialog } from './remove-dialog.tsx';
import { enableRules, exportRules, inspectRules, openHits, type RulePlan, runRules } from './rule-actions.ts';
import { RulesGrid } from './rules-grid.tsx';
import { type RuleRow, type Rules, useRules } from './use-rules.ts';
import './rules.css';

const NO_ROWS: readonly RuleRow[] = [];
const NO_RULE = 'Choose a rule';

type RuleDialog = { kind: 'import'; plan: RulePlan } | { kind: 'remove'; rows: readonly RuleRow[] };

/** What the screen offers for the selected rules, or the focused one. */
function commandsOf(options: {
  connectionId: string;
  rules: Rules;
  chosen: readonly RuleRow[];
  open: (dialog: RuleDialog) => void;
}) {
  const { connectionId, rules, chosen, open } = options;
  const heads = chosen.map(({ rule }) => rule);
  const [first] = heads;
  const why = first === undefined ? NO_RULE : null;
  const isEnabling = !heads.every(({ isEnabled }) => isEnabled);
  return {
    hits: {
      ...RULES.hits,
      label: 'Hits',
      icon: SearchText,
      why: heads.length > 1 ? 'Choose a single rule' : why,
      run: (event) => (event && isInGrid(event) ? false : first && openHits(first)),
    },
    enable: {
      ...RULES.enable,
      label: isEnabling ? 'Enable' : 'Disable',
      why,
      run: () => enableRules(heads, isEnabling),
    },
    remove: {
      ...RULES.remove,
      label: 'Delete…',
      icon: Trash,
      why,
      run: () => open({ kind: 'remove', rows: chosen }),
    },
    run: {
      ...RULES.run,
      label: 'Check now',
      icon: Play,
      why: rules.rows?.some(({ rule }) => rule.isEnabled)
        ? rules.job && 'Rules are being applied'
        : 'No rule is enabled',
      run: () => runRules(connectionId, null),
    },
    exportFile: {
      ...RULES.exportFile,
      label: 'Export…',
      icon: Export,
      why: rules.rows?.length ? null : 'There are no rules',
      title: first ? `Export ${plural(heads.length, 'rule')}` : 'Export all rules',
      run: () => exportRules(first ? heads : (rules.rows ?? []).map(({ rule }) => rule)),
    },
    importFile: {
      ...RULES.importFile,
      label: 'Import…',
      icon: Import,
      run: async () => {
        const plan = await inspectRules();
        if (plan !== null) open({ kind: 'import', plan });
      },
    },
  } satisfies Record<string, Command>;
}

function Bars({ rules }: { rules: Rules }): JSX.Element {
  const { rows, error, foundError, job, refresh } = rules;
  return (
    <>
      {error !== null && rows !== null ? (
        <ErrorBar error={error} shownInstead="Showing an older list." onRetry={refresh} />
      ) : null}
      {foundError === null ? null : (
        <ErrorBar error={foundError} notKnown="What the rules found is unknown." onRetry={refresh} />
      )}
      {job === null ? null : <JobRow job={job} onControl={onJobControl} />}
    </>
  );
}

function RulesOf({ connectionId }: { connectionId: string }): JSX.Element {
  const rules = useRules(connectionId);
  const grid = useRef<GridHandle<RuleRow> | null>(null);
  const [selected, setSelected] = useState<readonly string[]>([]);
  const [focused, setFocused] = useState<string | null>(null);
  const [dialog, setDialog] = useState<RuleDialog | null>(null);
  const rows = rules.rows ?? NO_ROWS;
  const chosenIds = new Set(selected.length > 0 ? selected : focused === null ? [] : [focused]);
  const chosen = rows.filter(({ rule }) => chosenIds.has(rule.id));
  const commands = commandsOf({ connectionId, rules, chosen, open: setDialog });
  const { hits, enable, remove, run, exportFile, importFile } = commands;
  useCommands(Object.values(commands), dialog === null);
  useHotkeys([...moveKeys(RULES, grid), ...selectKeys(RULES, grid)]);
  useTabStatus({
    ...(rules.rows === null
      ? {}
      : {
          message:
            selected.length > 0 ? `${plural(chosen.length, 'rule')} selected` : plural(rows.length, 'rule'),
        }),
    hints: [hint('move', RULES.next, RULES.previous), hint('hits', RULES.hits), hint('enable', RULES.enable)],
  });
  const close = () => setDialog(null);
  const buttons: ReactNode = [hits, enable, remove, exportFile, importFile, run].map((command) => (
    <CommandButton key={command.label} command={command} />
  ));
  return (
    <div className="pp-three-panes">
      <PageHeader title="Rules" actions={buttons} />
      <Bars rules={rules} />
      <div className="ru-list">
        <RulesGrid
          rules={rules}
          handle={grid}
          empty={{
            title: 'No rules',
            reason:
              'Rules find mail beside the checks of Parapet: conditions, lists of indicators, YARA and MQL.',
            action: <Button intent="primary" text="Import…" onClick={() => void importFile.run()} />,
          }}
          onSelected={setSelected}
          onFocused={setFocused}
        />
      </div>
      {dialog?.kind === 'import' ? <ImportRulesDialog plan={dialog.plan} onClose={close} /> : null}
      {dialog?.kind === 'remove' ? <RemoveRulesDialog rows={dialog.rows} onClose={close} /> : null}
    </div>
  );
}

/** Rules of the analyst: what each finds in this evidence. */
export default function RulesScreen(): JSX.Element {
  const { connection } = useConnection();
  if (connection?.kind !== 'evidence')
    return (
      <EmptyState title="No evidence" reason="Rules apply to mail evidence. Open a folder or mailbox." />
    );
  return <RulesOf connectionId={connection.id} />;
}
