import { Button } from '@blueprintjs/core';
import { Shield } from '@blueprintjs/icons';
import { type JSX, type ReactNode, useContext, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useAppInfo } from '#renderer/state/app-info.ts';
import { ConfirmDialog } from '#renderer/ui/dialog.tsx';
import { GlyphSuspicious } from '#renderer/ui/glyphs.tsx';
import { scrollStop } from '#renderer/ui/grid/scroll-stop.ts';
import { WholeContext } from '#renderer/ui/printing.ts';
import { exact, plural } from '#shared/model/format.ts';
import { isOff, offReason } from '#shared/model/policy.ts';
import { type BlockedContent, blockedRemote, contactedHosts, removedActive } from './body-blocked.ts';
import { forwardInput, keepFocusOutside } from './body-keys.ts';
import { loadable, type RemoteImages, type SafeBodyRead } from './use-body.ts';

/**
 * A mail's body in a frame of its own: no scripts, no forms, no navigation, and a document whose own policy loads data:
 * pictures only. The sandbox allows only the window's own origin, so that the window can listen for keys; without
 * scripts in the frame, a mail gains nothing from that. White in both themes: mails are designed for it.
 */
function BodyFrame({ document }: { document: string }): JSX.Element {
  const whole = useContext(WholeContext);
  const frame = useRef<HTMLIFrameElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const [isDeaf, setDeaf] = useState(false);
  useEffect(
    () => (isDeaf && frame.current && box.current ? keepFocusOutside(frame.current, box.current) : undefined),
    [isDeaf],
  );
  // Printed pages do not scroll.
  const fitHeight = () => {
    const { current } = frame;
    const high = current?.contentDocument?.documentElement?.scrollHeight;
    if (current && high) current.style.height = whole ? `${high}px` : '';
  };
  useLayoutEffect(fitHeight);
  return (
    <div
      ref={box}
      className="em-frame-box"
      {...(isDeaf ? { tabIndex: 0, role: 'group', 'aria-label': 'Email body' } : {})}
    >
      <iframe
        ref={frame}
        className="em-frame"
        title="Email body, sanitised"
        sandbox="allow-same-origin"
        srcDoc={document}
        referrerPolicy="no-referrer"
        {...(isDeaf ? { tabIndex: -1 } : {})}
        onLoad={({ currentTarget }) => {
          setDeaf(!forwardInput(currentTarget));
          fitHeight();
        }}
      />
    </div>
  );
}

interface ShowOnceProps {
  isOpen: boolean;
  urls: readonly string[];
  pending: boolean;
  onClose: () => void;
  onConfirm: () => void;
}

const HOSTS_LISTED = 20;

/** Shows which hosts would be contacted before any picture is loaded. */
function ShowOnce({ isOpen, urls, pending, onClose, onConfirm }: ShowOnceProps): JSX.Element {
  const hosts = contactedHosts(urls);
  const images = plural(urls.length, 'image');
  const from = plural(hosts.length, 'host');
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title="Show remote images once"
      size="narrow"
      onClose={onClose}
      onConfirm={onConfirm}
      confirm={{ loading: pending, text: `Load ${images} from ${from}` }}
    >
      <p>
        Parapet will contact these hosts from this machine, without cookies or a referrer. Their operators can
        learn that the email was opened, when, and from which network. Trackers stay blocked.
      </p>
      <ul className="em-hosts">
        {hosts.slice(0, HOSTS_LISTED).map(({ host, shown, images: count }) => (
          <li key={host}>
            <span className="pp-mono pp-wrap-anywhere">{shown}</span>
            <span className="pp-t3 en-nowrap">{plural(count, 'image')}</span>
          </li>
        ))}
      </ul>
      {hosts.length > HOSTS_LISTED ? (
        <p className="pp-t3">and {exact(hosts.length - HOSTS_LISTED)} more hosts</p>
      ) : null}
    </ConfirmDialog>
  );
}

interface BlockedBarProps {
  blocked: BlockedContent;
  /** Remote images shown at the analyst's request. */
  shown: number;
  /** Why loading failed, or how many images did not load. */
  problem: string | null;
  action: ReactNode;
  wide: boolean;
}

function BlockedBar({ blocked, shown, problem, action, wide }: BlockedBarProps): JSX.Element | null {
  const remote = blockedRemote(blocked);
  const active = removedActive(blocked);
  const { undrawn } = blocked;
  if (remote === '' && active === '' && undrawn.length === 0 && shown === 0 && problem === null) return null;
  const words = [
    remote === '' ? null : `${wide ? 'Remote content blocked' : 'Blocked'}: ${remote}`,
    active === '' ? null : `Removed: ${active}`,
    undrawn.length > 0
      ? `${plural(undrawn.length, 'image')} not shown: ${undrawn.slice(0, 3).join('; ')}${undrawn.length > 3 ? ` and ${exact(undrawn.length - 3)} more` : ''}`
      : null,
    shown > 0 ? `${plural(shown, 'remote image')} shown once` : null,
    problem,
  ].filter((part) => part !== null);
  return (
    <div className="em-blocked" role="status">
      <Shield size={14} />
      <span ref={scrollStop} className="em-blocked-text">
        {words.map((part) => (
          <span key={part}>{part}</span>
        ))}
      </span>
      {action}
    </div>
  );
}

/**
 * Lists deceptive links outside of the frame: whatever a mail hides or draws inside its frame, it cannot
 * reach this list.
 */
function DeceptiveLinks({ blocked }: { blocked: BlockedContent }): JSX.Element | null {
  const { deceptive: links, moreDeceptive: more } = blocked;
  if (links.length === 0) return null;
  return (
    <div className="em-deceptive" role="status">
      <GlyphSuspicious />
      <span ref={scrollStop} className="em-blocked-text">
        <span>Links whose text names a different host ({exact(links.length + more)}):</span>
        {links.map(({ says, goesTo }) => (
          <span key={`${says} ${goesTo}`} className="em-deceptive-link">
            {says} → {goesTo}
          </span>
        ))}
        {more > 0 ? <span>{exact(more)} more under Links</span> : null}
      </span>
    </div>
  );
}

interface BodyHtmlProps {
  body: SafeBodyRead;
  remote: RemoteImages;
  wide: boolean;
  /** Shown instead of a body that is too large to render. */
  asText: JSX.Element | null;
}

/** The sanitised HTML in its frame, under the bar that lists what was blocked. */
export function BodyHtml({ body, remote, wide, asText }: BodyHtmlProps): JSX.Element | null {
  const [asking, setAsking] = useState(false);
  const managed = useAppInfo()?.managed ?? null;
  const { safe, insist } = body;
  if (safe === null) return null;
  if (safe.document === null) {
    return (
      <>
        <div className="em-blocked" role="status">
          <span ref={scrollStop} className="em-blocked-text">
            Too large or too nested to render.
          </span>
          {insist ? <Button variant="minimal" size="small" text="Render anyway" onClick={insist} /> : null}
        </div>
        {asText}
      </>
    );
  }
  const urls = loadable(safe.blocked.images);
  const off = isOff(managed, 'remote-images') ? offReason('remote-images', managed) : null;
  return (
    <>
      <BlockedBar
        blocked={safe.blocked}
        shown={remote.shown.size}
        problem={(urls.length > 0 ? off : null) ?? remote.problem}
        wide={wide}
        action={
          urls.length > 0 ? (
            <Button
              variant="minimal"
              size="small"
              text="Show once"
              disabled={off !== null}
              loading={remote.pending}
              onClick={() => setAsking(true)}
            />
          ) : null
        }
      />
      {safe.isEmpty ? (
        <div className="em-blocked" role="status">
          The HTML has no visible content. See Text or Source.
        </div>
      ) : null}
      <DeceptiveLinks blocked={safe.blocked} />
      <BodyFrame document={safe.document} />
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
    </>
  );
}
