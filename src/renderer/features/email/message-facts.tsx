/** Facts of a chat message, and the line that says what it is. */
import { extraFacts } from '#renderer/entity/extra-facts.ts';
import {
  countFact,
  entityFact,
  type FactTimes,
  flagFact,
  idFact,
  textFact,
  timeFact,
} from '#renderer/entity/fact-parts.tsx';
import type { Stack } from '#renderer/entity/stack-rows.ts';
import { HARMFUL, type LinePart, stackLine, type VerdictLine } from '#renderer/entity/verdict-line.ts';
import { EntityValue } from '#renderer/ui/entity-value.tsx';
import type { Fact } from '#renderer/ui/facts.tsx';
import { type MessageProfile, messageProfile } from '#shared/model/entities.ts';
import { MESSAGE_STATES } from './labels.ts';

/** Services send true or 1. */
const flag = (value: boolean | number | null | undefined): boolean | null =>
  value === null || value === undefined ? null : value === true || value === 1;

export function messageFacts(
  message: MessageProfile,
  { appName, ...times }: FactTimes & { appName: (saas: string) => string },
): Fact[] {
  return [
    entityFact('From', 'email', message.sender, 'sender'),
    timeFact('Sent', message.sent_at, times),
    textFact('Channel', message.channel),
    textFact('App', message.saas && appName(message.saas)),
    textFact('State', message.state, MESSAGE_STATES),
    flagFact('External sender', flag(message.is_external), 'pp-caution'),
    countFact('Links', message.links_count),
    {
      label: 'Link domain',
      value: message.host ? (
        <EntityValue entity={{ kind: 'domain', value: message.host, field: 'link_domains' }} />
      ) : message.links_count === 0 ? (
        <span className="pp-t2">None</span>
      ) : null,
    },
    countFact('Replies', message.replies),
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
