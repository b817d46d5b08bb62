/** Commands about the schedules of queries. */
import { Calendar, Disable, Pause, Play, Repeat, SendMessage, Trash } from '@blueprintjs/icons';
import type { Command } from '#renderer/commands/command.tsx';
import { useRoleRefusal, useSendRefusal } from '#renderer/state/caller.ts';
import type { NewQuery } from '#shared/model/entities.ts';
import { plural } from '#shared/model/format.ts';
import { POLICY_OPERATIONS, POLICY_OPERATORS, type PolicyOperator } from '#shared/model/query-status.ts';

/** Schedule and send now, for one query. */
export function useScheduling(options: {
  /** Null if it has not been saved. */
  id: string | null;
  query: Pick<NewQuery, 'name' | 'subType' | 'scheduledExport' | 'createdBy'>;
  onSchedule: () => void;
  onSend: () => void;
}): Record<'schedule' | 'send', Command> {
  const { id, query, onSchedule, onSend } = options;
  const roleRefusal = useRoleRefusal();
  const unsendable = useSendRefusal()('policies.send-result');
  const notSent = roleRefusal('policies.send-result');
  const notScheduled =
    notSent ?? (id === null ? roleRefusal('query.save') : roleRefusal('query.update', { query }));
  const none = id === null || !query.scheduledExport ? 'not scheduled' : null;
  const isTemplate = query.subType === 'template';
  return {
    schedule: {
      text: 'Schedule…',
      icon: Calendar,
      note: isTemplate ? 'not for templates' : undefined,
      isOff: isTemplate,
      why: notScheduled,
      run: onSchedule,
    },
    send: {
      text: 'Send results now…',
      icon: SendMessage,
      note: none ?? (unsendable && !notSent ? 'offline' : undefined),
      isOff: none !== null,
      why: notSent ?? unsendable,
      run: onSend,
    },
  };
}

const ICONS = { enable: Play, disable: Disable, pause: Pause, resume: Repeat, unschedule: Trash };

/** Operations on the selected queries; the dialog shows them and asks for a reason. */
export function usePolicies(count: number, onOperate: (operator: PolicyOperator) => void): Command[] {
  const why = useSendRefusal()('policies.operation');
  if (count === 0) return [];
  return POLICY_OPERATORS.map((operator) => ({
    text: `${POLICY_OPERATIONS[operator].label} ${plural(count, 'query', 'queries')}…`,
    icon: ICONS[operator],
    why,
    isDanger: operator === 'unschedule',
    run: () => onOperate(operator),
  }));
}
