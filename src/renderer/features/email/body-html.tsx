import { Button } from '@blueprintjs/core';
import { type JSX, useState } from 'react';
import { GlyphSuspicious } from '#renderer/ui/glyphs.tsx';
import { exact } from '#shared/model/format.ts';
import { BlockedBar } from './blocked-bar.tsx';
import type { BlockedContent } from './body-blocked.ts';
import { BodyFrame } from './body-frame.tsx';
import { ShowOnce } from './show-once.tsx';
import { loadable, type RemoteImages } from './use-remote-images.ts';
import type { SafeBodyRead } from './use-safe-body.ts';

const LISTED = 5;

/**
 * What the links of the body pretend, outside of it: whatever a mail hides or draws inside its frame, it cannot
 * reach this list.
 */
function DeceptiveLinks({ links }: { links: BlockedContent['deceptive'] }): JSX.Element | null {
  if (links.length === 0) return null;
  return (
    <div className="em-deceptive" role="status">
      <GlyphSuspicious />
      <span className="em-blocked-text">
        <span>Links that name another host than the one they go to ({exact(links.length)}):</span>
        {links.slice(0, LISTED).map(({ says, goesTo }) => (
          <span key={`${says} ${goesTo}`} className="em-deceptive-link">
            {says} → {goesTo}
          </span>
        ))}
        {links.length > LISTED ? <span>{exact(links.length - LISTED)} more under Links</span> : null}
      </span>
    </div>
  );
}

interface BodyHtmlProps {
  body: SafeBodyRead;
  remote: RemoteImages;
  wide: boolean;
  /** Shown in place of a body that is too large to be drawn. */
  asText: JSX.Element;
}

/** The HTML made safe in its frame, under the bar that says what was blocked. */
export function BodyHtml({ body, remote, wide, asText }: BodyHtmlProps): JSX.Element | null {
  const [asking, setAsking] = useState(false);
  const { safe, insist } = body;
  if (safe === null) return null;
  if (safe.document === null) {
    return (
      <>
        <div className="em-blocked" role="status">
          <span className="em-blocked-text">Too large or too nested to be drawn at once: shown as text.</span>
          {insist ? <Button variant="minimal" size="small" text="Draw it" onClick={insist} /> : null}
        </div>
        {asText}
      </>
    );
  }
  const urls = loadable(safe.blocked.images);
  return (
    <>
      <BlockedBar
        blocked={safe.blocked}
        shown={remote.shown.size}
        problem={remote.problem}
        wide={wide}
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
      {safe.isEmpty ? (
        <div className="em-blocked" role="status">
          The HTML holds nothing to read or see. Text and Source show what came.
        </div>
      ) : null}
      <DeceptiveLinks links={safe.blocked.deceptive} />
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
