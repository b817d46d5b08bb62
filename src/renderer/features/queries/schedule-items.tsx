import { MenuItem } from '@blueprintjs/core';
import { Calendar, Disable, Pause, Play, Repeat, SendMessage, Trash } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { menuItems } from '#renderer/commands/command.tsx';
import { useRoleRefusal, useSendRefusal } from '#renderer/state/caller.ts';
import type { NewQuery } from '#shared/model/entities.ts';
import { plural } from '#shared/model/format.ts';
import { POLICY_OPERATIONS, POLICY_OPERATORS, type PolicyOperator } from '#shared/model/query-status.ts';

const ICONS: Readonly<Record<PolicyOperator, JSX.Element>> = {
  enable: <Play size={14} />,
  disable: <Disable size={14} />,
  pause: <Pause size={14} />,
  resume: <Repeat size={14} />,
  unschedule: <Trash size={14} />,
};

/** Schedule and send now, for the menu of one query. */
export function ScheduleItems(props: {
  /** Null if it has not been saved. */
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
  const isTemplate = query.subType === 'template';
  return menuItems([
    {
      text: 'Schedule…',
      icon: Calendar,
      note: isTemplate ? 'not for templates' : undefined,
      isOff: isTemplate,
      why: notScheduled,
      run: onSchedule,
    },
    {
      text: 'Send results now…',
      icon: SendMessage,
      note: none ?? (unsendable && !notSent ? 'offline' : undefined),
      isOff: none !== null,
      why: notSent ?? unsendable,
      run: onSend,
    },
  ]);
}

/** Operations on the selected queries; the dialog shows them and asks for a reason. */
export function PolicyItems(props: {
  count: number;
  onOperate: (operator: PolicyOperator) => void;
}): JSX.Element | null {
  const refusal = useSendRefusal()('policies.operation');
  const { count, onOperate } = props;
  if (count === 0) return null;
  return (
    <>
      {POLICY_OPERATORS.map((operator) => (
        <MenuItem
          key={operator}
          icon={ICONS[operator]}
          text={`${POLICY_OPERATIONS[operator].label} ${plural(count, 'query', 'queries')}…`}
          disabled={refusal !== null}
          title={refusal ?? undefined}
          {...(operator === 'unschedule' ? { intent: 'danger' as const } : {})}
          onClick={() => onOperate(operator)}
        />
      ))}
    </>
  );
}
