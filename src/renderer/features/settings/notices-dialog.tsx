import { Button } from '@blueprintjs/core';
import type { JSX } from 'react';
import { z } from 'zod';
import { Dialog } from '#renderer/ui/dialog.tsx';
import { useAnswer } from '#renderer/ui/use-answer.ts';
import { plural } from '#shared/model/format.ts';

const notices = z.array(
  z.object({ name: z.string(), version: z.string(), identifier: z.string(), text: z.string() }),
);
type Notices = z.infer<typeof notices>;

/**
 * The notices file that the build writes beside the page, or null if this build has none. Throws if it cannot be
 * read.
 */
async function readNotices(): Promise<Notices | null> {
  const answer = await fetch('./notices.json');
  return answer.status === 404 ? null : notices.parse(await answer.json());
}

/** The bundled packages with their licences; the text expands below each name. */
export function NoticesDialog({ onClose }: { onClose: () => void }): JSX.Element {
  const { data, error, isAsking } = useAnswer([], async () => ({ notices: await readNotices() }));
  const notices = data?.notices;
  return (
    <Dialog
      title="Third-party notices"
      onClose={onClose}
      actions={<Button text="Close" onClick={onClose} />}
      footNote={notices ? plural(notices.length, 'package') : undefined}
    >
      {isAsking ? <p>Reading…</p> : null}
      {error ? (
        <p>The notices could not be loaded. They are also in THIRD-PARTY-NOTICES.txt next to Parapet.</p>
      ) : null}
      {notices === null ? <p>This build has no notices. Build Parapet again with npm run build.</p> : null}
      {notices
        ? notices.map(({ name, version, identifier, text }) => (
            <details key={`${name}@${version}`} className="pp-notice">
              <summary>
                {name} {version} <span className="pp-t3">{identifier}</span>
              </summary>
              <pre className="pp-mono">{text || 'This package includes no licence text.'}</pre>
            </details>
          ))
        : null}
    </Dialog>
  );
}
