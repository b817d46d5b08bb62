import { Button, Checkbox } from '@blueprintjs/core';
import { Import } from '@blueprintjs/icons';
import { type JSX, memo, useCallback, useState } from 'react';
import { useCall } from '#renderer/bridge/use-call.ts';
import { ConfirmDialog, useOpenDialog } from '#renderer/ui/dialog.tsx';
import { SeverityMark } from '#renderer/ui/severity.tsx';
import { showToast } from '#renderer/ui/toaster.ts';
import type { PlannedRule } from '#shared/bridge/operations.ts';
import { exact, plural, visibleText } from '#shared/model/format.ts';
import { MOST_RULES, RULE_KIND_LABELS, type RuleHead } from '#shared/rules/rule.ts';
import { PLANNED_LABELS } from '../queries/labels.ts';
import { choiceOf, type Naming, namingOf, stateAs } from './import-plan.ts';
import { ListNaming } from './list-naming.tsx';
import type { RulePlan } from './rule-actions.ts';
import { lineProblem } from './rule-form.ts';

interface PlanRowProps {
  rule: PlannedRule;
  /** With the name that was chosen here. */
  state: PlannedRule['state'];
  isChosen: boolean;
  /** Of a list of indicators. */
  naming: Naming | null;
  onChoose: (index: number, isChosen: boolean) => void;
  onName: (index: number, naming: Naming) => void;
}

const PlanRow = memo(function PlanRow(props: PlanRowProps): JSX.Element {
  const { rule, state, isChosen, naming, onChoose, onName } = props;
  const { index, name, kind, severity, line, reason, indicators } = rule;
  return (
    <div className="ru-plan" data-state={state}>
      <div className="pp-row">
        <Checkbox
          aria-label={`Import ${visibleText(name)}`}
          checked={isChosen}
          disabled={state === 'invalid'}
          onChange={({ currentTarget }) => onChoose(index, currentTarget.checked)}
        />
        <span className="pp-ellipsis pp-spacer" title={visibleText(name)}>
          <bdi>{visibleText(name)}</bdi>
        </span>
        {kind === null ? null : <span className="pp-t2">{RULE_KIND_LABELS[kind]}</span>}
        {severity === null || naming !== null ? null : <SeverityMark severity={severity} />}
        <span className={state === 'invalid' ? 'pp-danger' : 'pp-t2'}>{PLANNED_LABELS[state]}</span>
      </div>
      {state === 'changed' ? (
        <p className="pp-small pp-caution">Importing it replaces yours of the same name.</p>
      ) : null}
      {indicators === null ? null : <p className="pp-small pp-t2">{plural(indicators, 'indicator')}</p>}
      {reason === null ? null : (
        <p className={`pp-small ${state === 'invalid' ? 'pp-danger' : 'pp-caution'}`}>
          {line === null ? '' : `Line ${exact(line)}: `}
          {visibleText(reason)}
        </p>
      )}
      {naming !== null && isChosen ? (
        <ListNaming naming={naming} onChange={(next) => onName(index, next)} />
      ) : null}
    </div>
  );
});

const newOnes = (rules: readonly PlannedRule[]) =>
  new Set(rules.filter(({ state }) => state === 'new').map(({ index }) => index));

function usePlan(plan: RulePlan, existing: readonly RuleHead[]) {
  const [chosen, setChosen] = useState<ReadonlySet<number>>(() => newOnes(plan.rules));
  const [names, setNames] = useState<ReadonlyMap<number, Naming>>(
    () =>
      new Map(
        plan.rules.flatMap((rule) => {
          const naming = namingOf(rule);
          return naming === null ? [] : [[rule.index, naming]];
        }),
      ),
  );
  const onChoose = useCallback(
    (index: number, isChosen: boolean) =>
      setChosen((before) => {
        const next = new Set(before);
        if (isChosen) next.add(index);
        else next.delete(index);
        return next;
      }),
    [],
  );
  const onName = useCallback(
    (index: number, naming: Naming) => setNames((before) => new Map(before).set(index, naming)),
    [],
  );
  const stateOf = (rule: PlannedRule) => stateAs(rule, names.get(rule.index) ?? null, existing);
  const added = plan.rules.filter((rule) => chosen.has(rule.index) && stateOf(rule) === 'new').length;
  const room = MOST_RULES - existing.length;
  const isMisnamed = [...chosen].some((index) => {
    const naming = names.get(index);
    return naming !== undefined && (lineProblem(naming, 'name') ?? lineProblem(naming, 'sentence')) !== null;
  });
  return {
    chosen,
    setChosen,
    names,
    onChoose,
    onName,
    stateOf,
    isMisnamed,
    excess:
      added > room
        ? `A profile has at most ${exact(MOST_RULES)} rules: ${exact(Math.max(0, room))} more can be added. Clear some, or delete others first.`
        : null,
  };
}

/** What a file of rules would change; nothing does before it is confirmed. Yours are replaced only if chosen. */
export function ImportRulesDialog(props: {
  plan: RulePlan;
  existing: readonly RuleHead[];
  onClose: () => void;
}): JSX.Element {
  const { plan, existing, onClose } = props;
  const { chosen, setChosen, names, onChoose, onName, stateOf, isMisnamed, excess } = usePlan(plan, existing);
  const [isEnabled, setEnabled] = useState(false);
  const { run, pending, error } = useCall('rules.import');
  const dialog = useOpenDialog(onClose);
  const cannot = chosen.size === 0 || excess !== null || isMisnamed;
  const send = async () => {
    if (cannot || pending) return;
    const choices = [...chosen].map((index) => choiceOf(index, isEnabled, names.get(index) ?? null));
    const outcome = await run({ importId: plan.importId, choices });
    if (outcome === null) return;
    const count = outcome.added + outcome.replaced;
    const they = count === 1 ? 'It is' : 'They are';
    const replaced = outcome.replaced > 0 ? `${plural(outcome.replaced, 'rule')} replaced. ` : '';
    showToast({
      intent: 'success',
      title: `Imported ${plural(count, 'rule')}`,
      detail: `${replaced}${they} ${isEnabled ? 'being applied' : 'disabled'}.`,
    });
    dialog.close();
  };
  const states = (['new', 'changed', 'same', 'invalid'] as const).flatMap((state) => {
    const count = plan.rules.filter((rule) => stateOf(rule) === state).length;
    return count === 0 ? [] : [`${exact(count)} ${PLANNED_LABELS[state].toLowerCase()}`];
  });
  return (
    <ConfirmDialog
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
        disabled: cannot,
        loading: pending,
      }}
    >
      {[error?.message, excess].map((words) =>
        words == null ? null : (
          <p key={words} className="pp-danger" role="alert">
            {words}
          </p>
        ),
      )}
      {plan.notes.map((note) => (
        <p key={note} className="pp-small pp-caution">
          {visibleText(note)}
        </p>
      ))}
      {plan.rules.length < 2 ? null : (
        <div className="pp-row ru-choose">
          <span className="pp-t2 pp-spacer">{states.join(' · ')}</span>
          <Button size="small" text="Select new" onClick={() => setChosen(newOnes(plan.rules))} />
          <Button size="small" text="Select none" onClick={() => setChosen(new Set())} />
        </div>
      )}
      {plan.rules.map((rule) => (
        <PlanRow
          key={rule.index}
          rule={rule}
          state={stateOf(rule)}
          isChosen={chosen.has(rule.index)}
          naming={names.get(rule.index) ?? null}
          onChoose={onChoose}
          onName={onName}
        />
      ))}
    </ConfirmDialog>
  );
}
