/** Facts of a chat message, and the line that says what it is. */
import { extraFacts } from '#renderer/entity/extra-facts.ts';
import { type FactTimes, flagFact, idFact, text, timeFact } from '#renderer/entity/fact-parts.tsx';
import type { Stack } from '#renderer/entity/stack-rows.ts';
import { HARMFUL, type LinePart, stackLine, type VerdictLine } from '#renderer/entity/verdict-line.ts';
import { EntityValue } from '#renderer/ui/entity-value.tsx';
import type { Fact } from '#renderer/ui/facts.tsx';
import { type MessageProfile, messageProfile } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import { MESSAGE_STATES } from './labels.ts';

/** Services send true or 1. */
const flag = (value: boolean | number | null | undefined): boolean | null =>
  value === null || value === undefined ? null : value === true || value === 1;

export function messageFacts(
  message: MessageProfile,
  { appName, ...times }: FactTimes & { appName: (saas: string) => string },
): Fact[] {
  return [
    {
      label: 'From',
      value: message.sender ? (
        <EntityValue entity={{ kind: 'email', value: message.sender, field: 'sender' }} />
      ) : null,
    },
    timeFact('Sent', message.sent_at, times),
    { label: 'Channel', value: text(message.channel) },
    { label: 'App', value: message.saas ? text(appName(message.saas)) : null },
    { label: 'State', value: text(MESSAGE_STATES[message.state ?? ''] ?? message.state) },
    flagFact('External sender', flag(message.is_external), 'pp-caution'),
    { label: 'Links', value: typeof message.links_count === 'number' ? exact(message.links_count) : null },
    {
      label: 'Link domain',
      value: message.host ? (
        <EntityValue entity={{ kind: 'domain', value: message.host, field: 'link_domains' }} />
      ) : message.links_count === 0 ? (
        <span className="pp-t2">None</span>
      ) : null,
    },
    { label: 'Replies', value: typeof message.replies === 'number' ? exact(message.replies) : null },
    idFact(message.entity_id),
    ...extraFacts(message, messageProfile.shape, times.clock),
  ];
}

function reach({ state }: MessageProfile, harmful: boolean): LinePart | null {
  if (state === 'quarantined') return { text: ' In quarantine.', tone: 'plain' };
  if (state === 'deleted') return { text: ' Deleted: no longer accessible.', tone: 'plain' };
  return state === 'posted' && harmful
    ? { text: ' Everyone in the channel can read it.', tone: 'danger' }
    : null;
}

/** The tools' verdict, and who can still read the message. */
export function messageLine(stack: Stack, message: MessageProfile | null): VerdictLine {
  const last = message ? reach(message, HARMFUL.includes(stack.total.verdict)) : null;
  return stackLine(stack, 'message', { after: last ? [last] : [] });
}
