import { Button } from '@blueprintjs/core';
import { Cross, InfoSign } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { GlyphClean, GlyphError, GlyphSuspicious } from './glyphs.tsx';
import { IconButton } from './icon-button.tsx';
import { closeToast, pauseToast, readToasts, resumeToast, subscribeToasts, type Toast } from './toaster.ts';
import { useListeners } from './use-listeners.ts';

const ICONS: Record<Toast['intent'], JSX.Element> = {
  success: <GlyphClean size={14} />,
  info: <InfoSign size={14} />,
  caution: <GlyphSuspicious size={14} />,
  error: <GlyphError size={14} />,
};

/** One toast; exported for the gallery. */
export function ToastView({ toast, onClose }: { toast: Toast; onClose: () => void }): JSX.Element {
  const { action } = toast;
  const root = useRef<HTMLDivElement>(null);
  useListeners(root, {
    mouseenter: () => pauseToast(toast.id),
    mouseleave: () => resumeToast(toast.id),
    focusin: () => pauseToast(toast.id),
    focusout: () => resumeToast(toast.id),
  });
  return (
    <div
      ref={root}
      className={`pp-toast pp-toast-${toast.intent}`}
      role={toast.intent === 'error' ? 'alert' : undefined}
    >
      {ICONS[toast.intent]}
      <div className="pp-toast-text">
        {toast.title}
        {toast.detail ? <small>{toast.detail}</small> : null}
      </div>
      {action ? (
        <Button
          variant="minimal"
          size="small"
          text={action.label}
          onClick={() => {
            onClose();
            action.run();
          }}
        />
      ) : null}
      <IconButton small icon={<Cross size={12} />} label="Close" onClick={onClose} />
    </div>
  );
}

/** The stack at the bottom right; render it once. `focusNewestToast` is for F6. */
export function Toasts(): JSX.Element {
  const toasts = useSyncExternalStore(subscribeToasts, readToasts);
  const stack = useRef<HTMLElement>(null);
  const newest = toasts.at(-1)?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a stack taller than the window shows its newest toast.
  useLayoutEffect(() => {
    stack.current?.scrollTo({ top: stack.current.scrollHeight });
  }, [newest]);
  return (
    // The live region exists before its first toast, because some screen readers ignore regions inserted with content.
    <section ref={stack} className="pp-toasts" aria-label="Notifications" aria-live="polite" data-toasts>
      {toasts.map((toast) => (
        <ToastView key={toast.id} toast={toast} onClose={() => closeToast(toast.id)} />
      ))}
    </section>
  );
}

/** Moves focus to the newest toast's first button; false when there is none. */
export function focusNewestToast(): boolean {
  const button = document.querySelector<HTMLElement>('[data-toasts] > .pp-toast:last-child button');
  button?.focus();
  return Boolean(button);
}
