import { Button } from '@blueprintjs/core';
import { type JSX, useMemo, useState } from 'react';
import { useActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { useCall } from '#renderer/bridge/use-call.ts';
import { Panel } from '#renderer/ui/panel.tsx';
import { Segmented } from '#renderer/ui/segmented.tsx';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import { exact } from '#shared/model/format.ts';
import { BlockedBar } from './blocked-bar.tsx';
import { hostOf, isRasterData, nothingBlocked } from './body-blocked.ts';
import { BodyFrame } from './body-frame.tsx';
import { MAX_HTML_CHARS } from './body-safe.ts';
import { textOfHtml } from './body-text.ts';
import { CodeView } from './code-view.tsx';
import { ShowOnce } from './show-once.tsx';
import { TextView } from './text-view.tsx';
import { type EmailReads, panelState } from './use-email.ts';
import { useSafeBody } from './use-safe-body.ts';

type View = 'html' | 'text' | 'source';
const VIEW_WORDS: Readonly<Record<View, string>> = { html: 'HTML', text: 'Text', source: 'Source' };

const NO_INLINE: Readonly<Record<string, string>> = {};
const NOTHING_SHOWN: ReadonlyMap<string, string> = new Map();
/** One call of `remote.images` takes so many, and addresses of so many characters. */
const MOST_IMAGES = 100;
const MOST_URL = 4096;

const loadable = (urls: readonly string[]) =>
  urls
    .filter((url) => /^https?:/i.test(url) && url.length <= MOST_URL && hostOf(url) !== null)
    .slice(0, MOST_IMAGES);

/** Remote pictures on request: asks main, keeps what came for this view only. */
function useRemoteImages() {
  const connectionId = useActiveConnectionId();
  const call = useCall('remote.images');
  const [shown, setShown] = useState(NOTHING_SHOWN);
  const [failed, setFailed] = useState(0);
  const load = async (urls: readonly string[]) => {
    if (connectionId === null) return;
    const answer = await call.run({ connectionId, urls: [...urls] });
    if (answer === null) return;
    const good = answer.images.filter(({ dataUrl }) => isRasterData(dataUrl));
    setShown((now) => new Map([...now, ...good.map(({ url, dataUrl }) => [url, dataUrl] as const)]));
    setFailed(answer.failed.length + answer.images.length - good.length);
  };
  const problem =
    call.error !== null
      ? call.error.message
      : failed > 0
        ? `${exact(failed)} ${failed === 1 ? 'image' : 'images'} did not load`
        : null;
  return { shown, load, pending: call.pending, problem };
}

/** The body in three views: HTML made safe, text, and the source as it came. */
export function BodyPanel({ email, full = false }: { email: EmailReads; full?: boolean }): JSX.Element {
  const { body } = email;
  const { wide } = useBreakpoint();
  const html = body.data?.html || null;
  const text = body.data?.text || null;
  const [chosen, setChosen] = useState<View | null>(null);
  const [asking, setAsking] = useState(false);
  const remote = useRemoteImages();
  const safe = useSafeBody(html, body.data?.inline ?? NO_INLINE, remote.shown);
  const tooLarge = safe !== null && safe.document === null;
  const view = chosen === 'html' && html === null ? 'text' : (chosen ?? (html === null ? 'text' : 'html'));
  const readsText = view === 'text' || (view === 'html' && tooLarge);
  const derived = useMemo(
    () => (readsText && text === null && html !== null ? textOfHtml(html) : null),
    [readsText, text, html],
  );
  const urls = loadable(safe?.blocked.images ?? []);
  const views: View[] = html === null ? ['text', 'source'] : ['html', 'text', 'source'];
  const words =
    view === 'html' && !tooLarge
      ? 'HTML, made safe'
      : view === 'source'
        ? 'as it came'
        : derived === null
          ? 'text'
          : 'text of the HTML';
  const empty = body.data !== undefined && html === null && text === null;
  return (
    <Panel
      title="Body"
      {...(wide || full ? { count: words } : {})}
      {...panelState(body)}
      rows={8}
      noScroll
      className={full ? 'em-fill em-body' : 'em-body'}
      shownInstead="The body below is older."
      notKnown="What the email says is not known."
      empty={empty ? { title: 'No body', reason: 'The email has neither text nor HTML.' } : null}
      actions={
        empty || !body.data ? null : (
          <Segmented
            compact
            label="View of the body"
            options={views.map((value) => ({ value, label: VIEW_WORDS[value] }))}
            value={view}
            onChange={setChosen}
          />
        )
      }
    >
      {body.data && !empty ? (
        <div className="em-body-inner">
          {view === 'html' ? (
            <BlockedBar
              blocked={safe?.blocked ?? nothingBlocked()}
              shown={remote.shown.size}
              problem={remote.problem}
              wide={wide || full}
              action={
                urls.length > 0 ? (
                  <Button
                    variant="minimal"
                    size="small"
                    text="Show once"
                    loading={remote.pending}
                    onClick={() => setAsking(true)}
                  />
                ) : null
              }
            />
          ) : null}
          {view === 'html' && tooLarge ? (
            <div className="em-blocked" role="status">
              {(html?.length ?? 0) > MAX_HTML_CHARS
                ? `Too large to be drawn as HTML (${exact(html?.length ?? 0)} characters): shown as text.`
                : 'Too many parts to be drawn as HTML safely: shown as text.'}
            </div>
          ) : null}
          {view === 'html' && safe?.isEmpty ? (
            <div className="em-blocked" role="status">
              The HTML holds nothing to read or see. Text and Source show what came.
            </div>
          ) : null}
          {body.data.truncated ? (
            <div className="em-blocked" role="status">
              The service gave only the first part of this body.
            </div>
          ) : null}
          {view === 'source' ? (
            <CodeView label="Source of the body" text={html ?? text ?? ''} copied="Source copied" />
          ) : readsText ? (
            <TextView label="Text of the body" text={text ?? derived ?? ''} />
          ) : safe?.document ? (
            <BodyFrame document={safe.document} />
          ) : null}
          <ShowOnce
            isOpen={asking}
            urls={urls}
            pending={remote.pending}
            onClose={() => setAsking(false)}
            onConfirm={() => {
              setAsking(false);
              void remote.load(urls);
            }}
          />
        </div>
      ) : null}
    </Panel>
  );
}
