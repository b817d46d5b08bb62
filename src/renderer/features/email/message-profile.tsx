import { Chat } from '@blueprintjs/icons';
import { type JSX, useMemo } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { Facts } from '#renderer/ui/facts.tsx';
import { FreshnessMark } from '#renderer/ui/freshness-mark.tsx';
import { PageHeader } from '#renderer/ui/page-header.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { visibleText } from '#shared/model/format.ts';
import { textOfHtml } from './body-text.ts';
import { extraFacts } from './extra-facts.ts';
import { TextView } from './text-view.tsx';
import { panelState } from './use-email.ts';

/** The profile of one chat message: what the service knows of it (GET entity) and its body (message_body), as text. */
export function MessageProfile({ entityId, title }: { entityId: string; title?: string }): JSX.Element {
  const entity = useRead(
    'entity.get',
    useMemo(() => ({ params: { type: 'message', id: entityId } }), [entityId]),
  );
  const body = useRead(
    'entity.message-body',
    useMemo(() => ({ query: { entity_id: entityId } }), [entityId]),
  );
  const { data } = body;
  const text = data ? (data.text ?? (data.html ? textOfHtml(data.html) : '')) : null;
  const facts = entity.data ? extraFacts(entity.data, { all: true }) : null;
  return (
    <>
      <PageHeader
        title={visibleText(title || 'Message')}
        icon={<Chat size={16} />}
        freshness={
          <FreshnessMark
            freshness={entity.freshness}
            loading={entity.loading || entity.revalidating}
            error={entity.error}
          />
        }
      />
      <div className="em-part em-message">
        <Panel
          title="Facts"
          {...panelState(entity)}
          rows={10}
          shownInstead="The facts below are older."
          notKnown="Nothing is known of this message."
          className="em-facts em-fill"
        >
          {facts ? <Facts facts={facts} /> : null}
        </Panel>
        <Panel
          title="Message"
          {...panelState(body)}
          rows={6}
          noScroll
          shownInstead="The text below is older."
          notKnown="What the message says is not known."
          className="em-fill em-body"
          empty={text === '' ? { title: 'No text', reason: 'The message holds no text.' } : null}
        >
          {text ? <TextView label="Text of the message" text={text} /> : null}
        </Panel>
      </div>
    </>
  );
}
