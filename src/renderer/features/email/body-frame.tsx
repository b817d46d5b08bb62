import type { JSX } from 'react';

/**
 * Hands what is typed in the frame to the window: a press lands in the frame's own document, where no key of Parapet
 * is heard. What the window does not take, such as copying what is selected, stays with the frame.
 */
function forwardKeys(frame: HTMLIFrameElement): void {
  const onKey = (event: Event) => {
    const { type, key, code, location, ctrlKey, metaKey, altKey, shiftKey, repeat, isComposing } =
      event as KeyboardEvent;
    const copy = new KeyboardEvent(type, {
      key,
      code,
      location,
      ctrlKey,
      metaKey,
      altKey,
      shiftKey,
      repeat,
      isComposing,
      modifierAltGraph: (event as KeyboardEvent).getModifierState('AltGraph'),
      bubbles: true,
      cancelable: true,
    });
    if (!frame.dispatchEvent(copy)) event.preventDefault();
  };
  const inner = frame.contentWindow;
  if (inner === null) return;
  // No element of the mail can stand in for the method.
  const { addEventListener } = EventTarget.prototype;
  for (const type of ['keydown', 'keyup']) addEventListener.call(inner, type, onKey, true);
}

/**
 * A mail's body in a frame of its own: no scripts, no forms, no navigation, and a document whose own policy loads data:
 * pictures only. The one thing that the sandbox allows is the window's origin, so that the window hears the keys; with
 * no script in the frame that gives a mail nothing. White in both themes: mails are made for it.
 */
export function BodyFrame({ document }: { document: string }): JSX.Element {
  return (
    <iframe
      className="em-frame"
      title="Body of the email, made safe"
      sandbox="allow-same-origin"
      srcDoc={document}
      referrerPolicy="no-referrer"
      onLoad={({ currentTarget }) => forwardKeys(currentTarget)}
    />
  );
}
