import { Chat } from '@blueprintjs/icons';
import { type JSX, useMemo } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { extraFacts } from '#renderer/entity/extra-facts.ts';
import { FactsPanel } from '#renderer/entity/facts-panel.tsx';
import { OfflinePinMark } from '#renderer/entity/offline-pins.tsx';
import { panelState } from '#renderer/entity/panel-state.ts';
import {
  HistoryButtons,
  recordHints,
  useRecordNavigation,
  useRecordStatus,
} from '#renderer/entity/record-navigation.tsx';
import type { ScreenProps } from '#renderer/state/tab-context.ts';
import { FreshnessMark } from '#renderer/ui/freshness-mark.tsx';
import { PageHeader } from '#renderer/ui/page-header.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { visibleText } from '#shared/model/format.ts';
import { textOfHtml } from './body-text.ts';
import { TextView } from './code-view.tsx';

const HINTS = recordHints([]);

/** The profile of one chat message: what the service knows of it (GET entity) and its body (message_body), as text. */
export function MessageProfile({ route, tabId }: ScreenProps<'email'>): JSX.Element {
  const { saas, entityId, title } = route;
  const place = useRecordNavigation(tabId, 'message');
  useRecordStatus(place, 'message', HINTS);
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
        filters={
          <>
            <HistoryButtons tabId={tabId} />
            <OfflinePinMark profile={{ kind: 'message', saas, entityId }} />
          </>
        }
      />
      <div className="en-part em-message">
        <FactsPanel read={entity} noun="message" factsOf={(found) => extraFacts(found)} className="en-fill" />
        <Panel
          title="Message"
          {...panelState(body)}
          rows={6}
          noScroll
          shownInstead="Showing an older copy."
          notKnown="The content is unknown."
          className="en-fill em-body"
          empty={text === '' ? { title: 'No text', reason: 'The message has no text.' } : null}
        >
          {text ? <TextView label="Text of the message" text={text} /> : null}
        </Panel>
      </div>
    </>
  );
}
