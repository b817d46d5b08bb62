import { type JSX, useMemo, useRef, useState } from 'react';
import { panelState } from '#renderer/entity/panel-state.ts';
import { Segmented } from '#renderer/ui/form/segmented.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import { BodyHtml } from './body-html.tsx';
import { Sought } from './body-matches.tsx';
import { textOfHtml } from './body-text.ts';
import { CodeView, TextView } from './code-view.tsx';
import { extractedWords, noBody, VIEW_LABELS, VIEW_NOTES } from './labels.ts';
import type { Located } from './reasons.ts';
import { SavePicture } from './save-picture.tsx';
import { useRemoteImages, useSafeBody } from './use-body.ts';
import type { EmailReads } from './use-email.ts';
import { hasMessage, WholeMessage } from './whole-message.tsx';

export type View = 'html' | 'text' | 'source' | 'message';
const NO_INLINE: Readonly<Record<string, string>> = {};
const NOTHING_SOUGHT: readonly string[] = [];

/** The text extracted from the HTML, used when there is no text part or when the HTML cannot be drawn. */
function TextOfHtml({ html, hasText }: { html: string; hasText: boolean }): JSX.Element {
  const shown = useMemo(() => textOfHtml(html), [html]);
  return (
    <>
      <p className="en-note">{extractedWords(html.length, hasText)}</p>
      <TextView label="Body text" text={shown} />
    </>
  );
}

/** The body as sanitised HTML, as text, as its source, and for evidence as the raw message. */
export function BodyPanel(props: {
  email: EmailReads;
  full?: boolean;
  /** The folded search terms for bodies of the query that led here. */
  sought?: readonly string[] | undefined;
  place?: Located | undefined;
}): JSX.Element {
  const { email, full = false, sought = NOTHING_SOUGHT, place } = props;
  const { body } = email;
  const { wide } = useBreakpoint();
  const html = body.data?.html || null;
  const text = body.data?.text || null;
  const [chosen, setChosen] = useState<View | null>(null);
  /** How many views of the place turned out not to show it. */
  const [unseen, setUnseen] = useState(0);
  const inner = useRef<HTMLDivElement>(null);
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
  const preferred = chosen ?? place?.views?.[unseen] ?? null;
  const view = preferred !== null && views.includes(preferred) ? preferred : (views[0] ?? 'text');
  const mark = {
    terms: sought,
    phrase: place?.phrase,
    onUnseen: place?.views?.[unseen + 1] ? () => setUnseen(unseen + 1) : undefined,
  };
  const noText = body.data !== undefined && html === null && text === null;
  // A mail without text parts still has a raw message to inspect.
  const empty = noText && !whole;
  const ofHtml = html === null ? null : <TextOfHtml html={html} hasText={text !== null} />;
  return (
    <Panel
      title="Body"
      {...(body.data && !empty && (wide || full) ? { count: VIEW_NOTES[view] } : {})}
      {...panelState(body)}
      rows={8}
      noScroll
      className={full ? 'en-fill em-body' : 'em-body'}
      shownInstead="Showing an older copy."
      notKnown="The content is unknown."
      empty={empty && body.data ? noBody(email.profile.data, body.data) : null}
      actions={
        empty || !body.data ? null : (
          <>
            {view === 'html' && safe.safe?.document ? (
              <SavePicture
                safe={safe.safe.document}
                subject={email.profile.data?.subject ?? ''}
                facts={{ isTruncated: body.data.truncated === true, remoteShown: remote.shown.size }}
                box={inner}
              />
            ) : null}
            <Segmented
              compact
              label="Body view"
              options={views.map((value) => ({ value, label: VIEW_LABELS[value] }))}
              value={view}
              onChange={setChosen}
            />
          </>
        )
      }
    >
      {body.data && !empty ? (
        <div className="em-body-inner" ref={inner}>
          {body.data.truncated ? (
            <div className="em-blocked" role="status">
              Truncated by the service: only the first part of the body is shown.
            </div>
          ) : null}
          {view === 'html' ? (
            <Sought key={view} {...mark}>
              <BodyHtml body={safe} remote={remote} wide={wide || full} asText={ofHtml} />
            </Sought>
          ) : view === 'text' ? (
            noText ? (
              <p className="en-note">The email has no text or HTML part. See Whole message.</p>
            ) : (
              <Sought key={view} {...mark}>
                {text === null ? ofHtml : <TextView label="Body text" text={text} />}
              </Sought>
            )
          ) : view === 'message' ? (
            <WholeMessage email={email} />
          ) : (
            <CodeView
              label="Body source"
              text={html ?? text ?? ''}
              copied="Source copied"
              marked={place?.range}
            />
          )}
        </div>
      ) : null}
    </Panel>
  );
}
