import { type JSX, useMemo, useState } from 'react';
import { panelState } from '#renderer/entity/panel-state.ts';
import { Panel } from '#renderer/ui/panel.tsx';
import { Segmented } from '#renderer/ui/segmented.tsx';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import { BodyHtml } from './body-html.tsx';
import { textOfHtml } from './body-text.ts';
import { CodeView, TextView } from './code-view.tsx';
import { useRemoteImages, useSafeBody } from './use-body.ts';
import type { EmailReads } from './use-email.ts';
import { hasMessage, WholeMessage } from './whole-message.tsx';

type View = 'html' | 'text' | 'source' | 'message';
const VIEW_LABELS: Readonly<Record<View, string>> = {
  html: 'HTML',
  text: 'Text',
  source: 'Source',
  message: 'Whole message',
};
const VIEW_WORDS: Readonly<Record<View, string>> = {
  html: 'HTML, made safe',
  text: 'text',
  source: 'as it came',
  message: 'byte by byte',
};
const NO_INLINE: Readonly<Record<string, string>> = {};

function BodyText({ text, html }: { text: string | null; html: string | null }): JSX.Element {
  const shown = useMemo(() => text ?? (html === null ? '' : textOfHtml(html)), [text, html]);
  return (
    <>
      {text === null && html !== null ? (
        <p className="en-note">The email has no text part: this is the text of its HTML.</p>
      ) : null}
      <TextView label="Text of the body" text={shown} />
    </>
  );
}

const noBody = ({ profile }: EmailReads) =>
  profile.data?.encryption_status && profile.data.encryption_status !== 'none'
    ? { title: 'Encrypted', reason: 'Only who has the key can read the body; the service has none of it.' }
    : { title: 'No body', reason: 'The email has neither text nor HTML.' };

/** The body in three views: HTML made safe, text, and the source as it came. */
export function BodyPanel({ email, full = false }: { email: EmailReads; full?: boolean }): JSX.Element {
  const { body } = email;
  const { wide } = useBreakpoint();
  const html = body.data?.html || null;
  const text = body.data?.text || null;
  const [chosen, setChosen] = useState<View | null>(null);
  const remote = useRemoteImages();
  const safe = useSafeBody(html, body.data?.inline ?? NO_INLINE, remote.shown);
  // The small panel of the overview has no room for a fourth view.
  const whole = full && hasMessage(email);
  const views: View[] = [
    ...(html === null ? [] : ['html' as const]),
    'text',
    'source',
    ...(whole ? ['message' as const] : []),
  ];
  const view = chosen !== null && views.includes(chosen) ? chosen : (views[0] ?? 'text');
  const noText = body.data !== undefined && html === null && text === null;
  // A mail of parts that are no text still has a message to look into.
  const empty = noText && !whole;
  const asText = <BodyText text={text} html={html} />;
  return (
    <Panel
      title="Body"
      {...(body.data && !empty && (wide || full) ? { count: VIEW_WORDS[view] } : {})}
      {...panelState(body)}
      rows={8}
      noScroll
      className={full ? 'en-fill em-body' : 'em-body'}
      shownInstead="The body below is older."
      notKnown="What the email says is not known."
      empty={empty ? noBody(email) : null}
      actions={
        empty || !body.data ? null : (
          <Segmented
            compact
            label="View of the body"
            options={views.map((value) => ({ value, label: VIEW_LABELS[value] }))}
            value={view}
            onChange={setChosen}
          />
        )
      }
    >
      {body.data && !empty ? (
        <div className="em-body-inner">
          {body.data.truncated ? (
            <div className="em-blocked" role="status">
              The service gave only the first part of this body.
            </div>
          ) : null}
          {view === 'html' ? (
            <BodyHtml body={safe} remote={remote} wide={wide || full} asText={asText} />
          ) : view === 'text' ? (
            noText ? (
              <p className="en-note">
                The email has neither text nor HTML. Whole message shows all that came.
              </p>
            ) : (
              asText
            )
          ) : view === 'message' ? (
            <WholeMessage email={email} />
          ) : (
            <CodeView label="Source of the body" text={html ?? text ?? ''} copied="Source copied" />
          )}
        </div>
      ) : null}
    </Panel>
  );
}
