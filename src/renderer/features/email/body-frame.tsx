import type { JSX } from 'react';

/**
 * A mail's body in a frame of its own: no scripts, no origin, no forms, no navigation (an empty sandbox allows
 * nothing), and a document whose own policy loads data: pictures only. White in both themes: mails are made for it.
 */
export function BodyFrame({ document }: { document: string }): JSX.Element {
  return (
    <iframe
      className="em-frame"
      title="Body of the email, made safe"
      sandbox=""
      srcDoc={document}
      referrerPolicy="no-referrer"
    />
  );
}
