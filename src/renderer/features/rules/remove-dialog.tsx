import { Trash } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { ConfirmDialog } from '#renderer/ui/dialog.tsx';
import { plural } from '#shared/model/format.ts';
import { removeRules, ruleWords } from './rule-actions.ts';
import type { RuleRow } from './use-rules.ts';

/** How many hits in this evidence go with the rules. */
function hitWords(rows: readonly RuleRow[]): string {
  const enabled = rows.filter(({ rule }) => rule.isEnabled);
  if (enabled.some(({ outcome }) => outcome === null)) return 'How many hits go is unknown.';
  const hits = enabled.reduce((sum, { outcome }) => sum + (outcome?.hits ?? 0), 0);
  return hits === 0
    ? 'No hits in this evidence.'
    : `${plural(hits, 'hit')} in this evidence go as well, with the false positives marked on them.`;
}

export function RemoveRulesDialog(props: { rows: readonly RuleRow[]; onClose: () => void }): JSX.Element {
  const { rows, onClose } = props;
  const rules = rows.map(({ rule }) => rule);
  return (
    <ConfirmDialog
      size="narrow"
      title={`Delete ${ruleWords(rules)}?`}
      icon={<Trash size={14} />}
      onClose={onClose}
      onConfirm={() => {
        onClose();
        void removeRules(rules);
      }}
      confirm={{ text: `Delete ${plural(rules.length, 'rule')}`, intent: 'danger' }}
    >
      <p>{hitWords(rows)}</p>
      <p className="pp-t2">
        Rules apply to all evidence of this profile, so their hits go everywhere. This can’t be undone; export
        them first to keep them.
      </p>
    </ConfirmDialog>
  );
}
