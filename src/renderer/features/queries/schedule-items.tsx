import { MenuItem } from '@blueprintjs/core';
import { Calendar, Disable, Pause, Play, Repeat, SendMessage, Trash } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { useRoleRefusal, useSendRefusal } from '#renderer/state/caller.ts';
import type { NewQuery } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import { operate, POLICY_OPERATORS, type PolicyOperator } from './schedule-actions.ts';

const ICONS: Readonly<Record<PolicyOperator, JSX.Element>> = {
  enable: <Play size={14} />,
  disable: <Disable size={14} />,
  pause: <Pause size={14} />,
  resume: <Repeat size={14} />,
  unschedule: <Trash size={14} />,
};

/** Schedule and send now, for the menu of one query. */
export function ScheduleItems(props: {
  /** null: it has not been saved. */
  id: string | null;
  query: Pick<NewQuery, 'name' | 'subType' | 'scheduledExport' | 'createdBy'>;
  onSchedule: () => void;
  onSend: () => void;
}): JSX.Element {
  const { id, query, onSchedule, onSend } = props;
  const roleRefusal = useRoleRefusal();
  const unsendable = useSendRefusal()('policies.send-result');
  const notSent = roleRefusal('policies.send-result');
  const notScheduled =
    notSent ?? (id === null ? roleRefusal('query.save') : roleRefusal('query.update', { query }));
  const none = id === null || !query.scheduledExport ? 'not scheduled' : null;
  return (
    <>
      <MenuItem
        icon={<Calendar size={14} />}
        text="Schedule…"
        disabled={query.subType === 'template' || notScheduled !== null}
        label={query.subType === 'template' ? 'not for templates' : undefined}
        title={notScheduled ?? undefined}
        onClick={onSchedule}
      />
      <MenuItem
        icon={<SendMessage size={14} />}
        text="Send results now…"
        disabled={none !== null || unsendable !== null}
        label={none ?? (unsendable && !notSent ? 'offline' : undefined)}
        title={notSent ?? unsendable ?? undefined}
        onClick={onSend}
      />
    </>
  );
}

/** Actions for several policies at once. */
export function PolicyItems({
  queries,
}: {
  queries: readonly { id: string; name: string }[];
}): JSX.Element | null {
  const refusal = useSendRefusal()('policies.operation');
  if (queries.length === 0) return null;
  return (
    <>
      {POLICY_OPERATORS.map(({ operator, label }) => (
        <MenuItem
          key={operator}
          icon={ICONS[operator]}
          text={`${label}: ${exact(queries.length)} selected`}
          disabled={refusal !== null}
          title={refusal ?? undefined}
          {...(operator === 'unschedule' ? { intent: 'danger' as const } : {})}
          onClick={() => void operate(operator, queries)}
        />
      ))}
    </>
  );
}
