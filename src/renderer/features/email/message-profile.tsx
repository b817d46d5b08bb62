import { Chat, Clipboard } from '@blueprintjs/icons';
import { type JSX, useMemo } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { type Command, CommandButton, useCommands } from '#renderer/commands/command.tsx';
import { hint, MESSAGE } from '#renderer/commands/keys.ts';
import { EntityHead } from '#renderer/entity/entity-head.tsx';
import { EntityResponseDialog, isHarmful, stackWarnings } from '#renderer/entity/entity-response.tsx';
import { FactsPanel } from '#renderer/entity/facts-panel.tsx';
import { panelState } from '#renderer/entity/panel-state.ts';
import { recordHints, useRecord } from '#renderer/entity/record-navigation.tsx';
import { responseCommand } from '#renderer/entity/response-items.tsx';
import { StackTable } from '#renderer/entity/stack-table.tsx';
import { useEntityStack } from '#renderer/entity/use-entity-stack.ts';
import { type Response, useSending } from '#renderer/entity/use-sending.ts';
import { useShaped } from '#renderer/entity/use-shaped.ts';
import { useSendRefusal } from '#renderer/state/caller.ts';
import { copyText } from '#renderer/state/entity-actions.ts';
import type { ScreenProps } from '#renderer/state/tab-context.ts';
import { Panel } from '#renderer/ui/panel.tsx';
import { type MessageProfile as Message, messageProfile } from '#shared/model/entities.ts';
import { visibleText } from '#shared/model/format.ts';
import type { ResponseKind } from '#shared/model/responses.ts';
import { readableText, textOfHtml } from './body-text.ts';
import { TextView } from './code-view.tsx';
import { messageFacts, messageLine } from './message-facts.tsx';

const HINTS = recordHints([hint('act', MESSAGE.act), hint('copy text', MESSAGE.copy)]);

/** Why the state of the message rules the action out, or null if it does not. */
export function messageRefusal(kind: ResponseKind, message: Message): string | null {
  const { state } = message;
  if (state === 'deleted') return 'The message is deleted.';
  if (kind === 'restore') return state === 'quarantined' ? null : 'It is not in quarantine.';
  return kind === 'quarantine' && state === 'quarantined' ? 'It is already in quarantine.' : null;
}

function useMessage(entityId: string) {
  const common = useMemo(() => ({ query: { entity_id: entityId } }), [entityId]);
  const answer = useRead(
    'entity.get',
    useMemo(() => ({ params: { type: 'message', id: entityId } }), [entityId]),
  );
  const body = useRead('entity.message-body', common);
  const tools = useEntityStack(entityId);
  const { read: entity, profile: message } = useShaped(answer, messageProfile, 'message');
  const sendRefusal = useSendRefusal();
  const { underway, ...sending } = useSending({
    type: 'message',
    entityId,
    name: message ? `a message of ${message.sender ?? 'an unknown sender'}` : 'a message',
  });
  const refusal = (kind: ResponseKind): string | null =>
    sendRefusal('manual-actions.create', { action: kind }) ??
    (message ? (underway(kind) ?? messageRefusal(kind, message)) : 'Profile not loaded.');
  const response: Response = { ...sending, refusal, harmful: isHarmful(tools.stack) };
  return { entityId, entity, body, tools, message, response };
}

type MessageReads = ReturnType<typeof useMessage>;

const textOf = ({ data }: MessageReads['body']): string | null =>
  data ? (data.text ?? (data.html ? textOfHtml(data.html) : '')) : null;

function MessageActions({ reads }: { reads: MessageReads }): JSX.Element {
  const { message, response } = reads;
  const main: ResponseKind = message?.state === 'quarantined' ? 'restore' : 'quarantine';
  const text = textOf(reads.body);
  const commands: Command[] = [
    responseCommand(response, main, MESSAGE.act),
    responseCommand(response, 'delete'),
    {
      ...MESSAGE.copy,
      label: 'Copy text',
      title: 'Copied defanged',
      icon: Clipboard,
      isOff: !text,
      run: () => void copyText(readableText(text ?? ''), 'Text copied, defanged'),
    },
  ];
  useCommands(commands);
  return (
    <>
      {commands.map((command) => (
        <CommandButton key={command.text} command={command} />
      ))}
    </>
  );
}

function MessageText({ reads }: { reads: MessageReads }): JSX.Element {
  const text = textOf(reads.body);
  return (
    <Panel
      title="Message"
      {...panelState(reads.body)}
      rows={6}
      noScroll
      shownInstead="Showing an older copy."
      notKnown="The content is unknown."
      className="en-fill em-body"
      empty={text === '' ? { title: 'No text', reason: 'The message has no text.' } : null}
    >
      {text ? <TextView label="Text of the message" text={text} /> : null}
    </Panel>
  );
}

export function MessageProfile({ route, tabId }: ScreenProps<'email'>): JSX.Element {
  const { saas, entityId, title } = route;
  const reads = useMessage(entityId);
  const { entity, tools, message, response } = reads;
  const name = visibleText(title || (message?.channel ? `Message in ${message.channel}` : 'Message'));
  useRecord(tabId, 'message', name, entity.data !== undefined, HINTS);
  return (
    <>
      <EntityHead
        noun="message"
        tabId={tabId}
        of={{ kind: 'message', saas, entityId }}
        title={name}
        icon={<Chat size={16} />}
        profile={entity}
        tools={tools}
        line={tools.stack ? messageLine(tools.stack, message) : null}
        word={message?.verdict}
        actions={<MessageActions reads={reads} />}
      />
      <div className="en-part">
        <div className="en-overview">
          <FactsPanel
            read={entity}
            noun="message"
            factsOf={(_, times) =>
              message ? messageFacts(message, { ...times, appName: tools.appName }) : []
            }
          />
          <MessageText reads={reads} />
          <StackTable source={tools} noun="message" className="en-fill" />
        </div>
      </div>
      <EntityResponseDialog
        noun="message"
        sending={response}
        stack={tools.stack}
        figures={[{ label: 'Message', value: 1, accent: true }]}
        title={message?.channel ?? 'Message'}
        from={message?.sender ?? ''}
        warningsFor={(kind) => stackWarnings(kind, tools.stack, 'everyone in the channel')}
        identifier={message?.entity_identifier}
      />
    </>
  );
}
