/** What the screen of rules offers. */
import { Edit, Export, Import, Play, Plus, SearchText, Trash } from '@blueprintjs/icons';
import type { Command } from '#renderer/commands/command.tsx';
import { RULES } from '#renderer/commands/keys.ts';
import { isInGrid } from '#renderer/commands/list-keys.ts';
import { exact, plural } from '#shared/model/format.ts';
import { beginEditing } from './editor-store.ts';
import {
  editRule,
  enableRules,
  exportRules,
  inspectRules,
  openHits,
  type RulePlan,
  runRules,
} from './rule-actions.ts';
import { formOf } from './rule-form.ts';
import type { RuleRow, Rules } from './use-rules.ts';

const NO_RULE = 'Choose a rule';

export type RuleDialog =
  | { kind: 'import'; plan: RulePlan }
  | { kind: 'remove'; rows: readonly RuleRow[] }
  /** Unsaved changes would be lost; `then` is what was asked for. */
  | { kind: 'discard'; then: () => void };

export function commandsOf(options: {
  connectionId: string;
  rules: Rules;
  chosen: readonly RuleRow[];
  /** Those of them that are selected, and not only focused. */
  selected: readonly RuleRow[];
  open: (dialog: RuleDialog) => void;
}) {
  const { connectionId, rules, chosen, selected, open } = options;
  const heads = chosen.map(({ rule }) => rule);
  const [first] = heads;
  const why = first === undefined ? NO_RULE : null;
  const single = heads.length > 1 ? 'Choose a single rule' : why;
  const isEnabling = !heads.every(({ isEnabled }) => isEnabled);
  const toCheck = selected.length > 0 ? selected : (rules.rows ?? []);
  const checked = toCheck.flatMap(({ rule }) => (rule.isEnabled ? [rule] : []));
  const uncheckable =
    checked.length > 0 ? null : selected.length > 0 ? 'No selected rule is enabled' : 'No rule is enabled';
  return {
    hits: {
      ...RULES.hits,
      label: 'Hits',
      icon: SearchText,
      why: single,
      run: (event) => (isInGrid(event) ? false : first && openHits(first)),
    },
    create: { ...RULES.create, icon: Plus, run: () => beginEditing(formOf({})) },
    edit: {
      ...RULES.edit,
      label: 'Edit',
      icon: Edit,
      why: single,
      run: () => first && editRule(first.id),
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
      label:
        selected.length === 0
          ? 'Check all now'
          : checked.length === 0
            ? 'Check now'
            : `Check ${exact(checked.length)} now`,
      icon: Play,
      title:
        selected.length > 0
          ? `Check all mail again with ${plural(checked.length, 'selected rule')}${checked.length < selected.length ? '; disabled ones are left out' : ''}`
          : 'Check all mail again with all enabled rules',
      why: uncheckable ?? (rules.job && 'Rules are being applied'),
      run: () => runRules(connectionId, selected.length > 0 ? checked : null),
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
