import { Button } from '@blueprintjs/core';
import { type JSX, useState } from 'react';
import { BlockedBar } from './blocked-bar.tsx';
import { BodyFrame } from './body-frame.tsx';
import { ShowOnce } from './show-once.tsx';
import { loadable, type RemoteImages } from './use-remote-images.ts';
import type { SafeBodyRead } from './use-safe-body.ts';

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
