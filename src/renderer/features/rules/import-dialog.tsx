import { Checkbox } from '@blueprintjs/core';
import { Import } from '@blueprintjs/icons';
import { type JSX, useState } from 'react';
import { useCall } from '#renderer/bridge/use-call.ts';
import { ConfirmDialog, useOpenDialog } from '#renderer/ui/dialog.tsx';
import { SeverityMark } from '#renderer/ui/severity.tsx';
import { showToast } from '#renderer/ui/toaster.ts';
import type { PlannedRule } from '#shared/bridge/operations.ts';
import { exact, plural, visibleText } from '#shared/model/format.ts';
import { RULE_KIND_LABELS } from '#shared/rules/rule.ts';
import type { RulePlan } from './rule-actions.ts';

const STATE_LABELS: Readonly<Record<PlannedRule['state'], string>> = {
  new: 'New',
  changed: 'Replaces yours',
  same: 'Unchanged',
  invalid: 'Can’t be imported',
};

/** More rows would make the dialog slow. New ones beyond them are imported as well. */
const SHOWN = 500;
/** The contract takes no more at once. */
const MOST = 1_000;

function PlanRow(props: {
  rule: PlannedRule;
  isChosen: boolean;
  onChoose: (isChosen: boolean) => void;
}): JSX.Element {
  const { rule, isChosen, onChoose } = props;
  const { name, kind, severity, state, line, reason, indicators } = rule;
  return (
    <div className="ru-plan" data-state={state}>
      <div className="pp-row">
        <Checkbox
          aria-label={`Import ${visibleText(name)}`}
          checked={isChosen}
          disabled={state === 'invalid'}
          onChange={({ currentTarget }) => onChoose(currentTarget.checked)}
        />
        <span className="pp-ellipsis pp-spacer" title={visibleText(name)}>
          <bdi>{visibleText(name)}</bdi>
        </span>
        {kind === null ? null : <span className="pp-t2">{RULE_KIND_LABELS[kind]}</span>}
        {severity === null ? null : <SeverityMark severity={severity} />}
        <span className={state === 'invalid' ? 'pp-danger' : 'pp-t2'}>{STATE_LABELS[state]}</span>
      </div>
      {indicators === null ? null : <p className="pp-small pp-t2">{plural(indicators, 'indicator')}</p>}
      {reason === null ? null : (
        <p className={`pp-small ${state === 'invalid' ? 'pp-danger' : 'pp-caution'}`}>
          {line === null ? '' : `Line ${exact(line)}: `}
          {visibleText(reason)}
        </p>
      )}
    </div>
  );
}

/** What a file of rules would change; nothing does before it is confirmed. Yours are replaced only if chosen. */
export function ImportRulesDialog({ plan, onClose }: { plan: RulePlan; onClose: () => void }): JSX.Element {
  const [chosen, setChosen] = useState<ReadonlySet<number>>(
    () => new Set(plan.rules.filter(({ state }) => state === 'new').map(({ index }) => index)),
  );
  const [isEnabled, setEnabled] = useState(false);
  const { run, pending, error } = useCall('rules.import');
  const dialog = useOpenDialog(onClose);
  const isTooMany = chosen.size > MOST;
  const send = async () => {
    if (chosen.size === 0 || isTooMany || pending) return;
    const choices = [...chosen].map((index) => ({ index, isEnabled }));
    const outcome = await run({ importId: plan.importId, choices });
    if (outcome === null) return;
    const replaced = outcome.replaced > 0 ? `${plural(outcome.replaced, 'rule')} replaced. ` : '';
    showToast({
      intent: 'success',
      title: `Imported ${plural(outcome.added + outcome.replaced, 'rule')}`,
      detail: `${replaced}${isEnabled ? 'They are being applied.' : 'They are disabled.'}`,
    });
    dialog.close();
  };
  const choose = (index: number, isChosen: boolean) => {
    const next = new Set(chosen);
    if (isChosen) next.add(index);
    else next.delete(index);
    setChosen(next);
  };
  return (
    <ConfirmDialog
      isOpen
      size="wide"
      title={`Import from ${visibleText(plan.name)}`}
      icon={<Import size={14} />}
      onClose={onClose}
      onConfirm={() => void send()}
      footNote={
        <Checkbox
          className="ru-enable"
          label="Enable them at once"
          checked={isEnabled}
          onChange={({ currentTarget }) => setEnabled(currentTarget.checked)}
        />
      }
      confirm={{
        text: chosen.size === 0 ? 'Nothing selected' : `Import ${plural(chosen.size, 'rule')}`,
        disabled: chosen.size === 0 || isTooMany,
        loading: pending,
      }}
    >
      {error ? (
        <p className="pp-danger" role="alert">
          {error.message}
        </p>
      ) : null}
      {isTooMany ? (
        <p className="pp-danger" role="alert">
          At most {exact(MOST)} rules can be imported at once. Clear some.
        </p>
      ) : null}
      {plan.notes.map((note) => (
        <p key={note} className="pp-small pp-caution">
          {visibleText(note)}
        </p>
      ))}
      {plan.rules.slice(0, SHOWN).map((rule) => (
        <PlanRow
          key={rule.index}
          rule={rule}
          isChosen={chosen.has(rule.index)}
          onChoose={(isChosen) => choose(rule.index, isChosen)}
        />
      ))}
      {plan.rules.length > SHOWN ? (
        <p className="pp-small pp-t2">
          and {exact(plan.rules.length - SHOWN)} more: new ones are imported, the rest skipped.
        </p>
      ) : null}
    </ConfirmDialog>
  );
}
