import { WarningSign } from '@blueprintjs/icons';
import type { JSX } from 'react';
import type { ActionOrder } from '#renderer/state/action-order.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { Figures, VerdictMix } from '#renderer/ui/dialog.tsx';
import { Segmented } from '#renderer/ui/form/segmented.tsx';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import type { LeftOut, PreparedAction } from '#shared/bridge/operations.ts';
import { timeOfDay, zoneAt } from '#shared/model/clock.ts';
import { exact, form, plural } from '#shared/model/format.ts';
import { cleanTargets, leftOutWords } from './labels.ts';

export function ScopeChoice(props: {
  order: ActionOrder;
  chosen: number;
  onChange: (chosen: number) => void;
}): JSX.Element | null {
  const { choices } = props.order;
  if (choices.length < 2) return null;
  return (
    <Segmented
      label="Which rows"
      value={String(props.chosen)}
      options={choices.map(({ label, count }, index) => ({
        value: String(index),
        label: count === null ? label : `${label}: ${exact(count)}`,
      }))}
      onChange={(value) => props.onChange(Number(value))}
    />
  );
}

/** The targets and the warnings about them; rows can be excluded, which freezes the remaining ones again. */
export function ActionFacts(props: {
  order: ActionOrder;
  prepared: PreparedAction;
  leaveOut: readonly LeftOut[];
  onLeaveOut: (leaveOut: LeftOut[]) => void;
}): JSX.Element {
  const { order, prepared, leaveOut, onLeaveOut } = props;
  const clock = useClock();
  const { count, mix, leftOut, withoutId, exact: named } = prepared;
  const chosen = count + leftOut + withoutId;
  const clean = cleanTargets(order.action, mix);
  const verdicts = mix.find(({ column }) => column === 'verdict')?.values ?? [];
  return (
    <>
      <p className="pp-t2 pp-action-frozen">
        The list below is frozen at{' '}
        <b>
          {timeOfDay(prepared.preparedAt, clock)} {zoneAt(prepared.preparedAt, clock)}
        </b>
        . Later matches are unaffected.
      </p>
      <Figures
        figures={[
          { label: form(chosen, 'row chosen', 'rows chosen'), value: chosen },
          ...(leftOut > 0 ? [{ label: leftOutWords(leaveOut), value: leftOut }] : []),
          { label: 'will be sent', value: count, accent: true },
        ]}
      />
      {verdicts.length > 0 ? (
        <VerdictMix counts={verdicts.map(({ value, count: many }) => ({ verdict: value, count: many }))} />
      ) : null}
      {clean ? (
        <p className="pp-caution-bar">
          <WarningSign size={14} />
          <span>
            <b>{`${exact(clean)} of them ${form(clean, 'is', 'are')} clean`}: no tool found anything.</b>{' '}
            {named && clean < count ? (
              <LinkButton onClick={() => onLeaveOut([...leaveOut, { column: 'verdict', values: ['clean'] }])}>
                Exclude
              </LinkButton>
            ) : null}
          </span>
        </p>
      ) : null}
      {leftOut > 0 ? (
        <p className="pp-action-note pp-t2">
          {exact(leftOut)} excluded: {leftOutWords(leaveOut)}.{' '}
          <LinkButton onClick={() => onLeaveOut([])}>Include</LinkButton>
        </p>
      ) : null}
      {withoutId > 0 ? (
        <p className="pp-caution">
          {`${plural(withoutId, 'row')} ${form(withoutId, 'has', 'have')} no ID and can’t be acted on.`}
        </p>
      ) : null}
      {named ? null : (
        <p className="pp-caution">
          This service takes conditions only: nothing is sent unless the query still matches exactly these
          rows.
        </p>
      )}
    </>
  );
}
