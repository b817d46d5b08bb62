import { Button } from '@blueprintjs/core';
import { Cross, InfoSign } from '@blueprintjs/icons';
import type { JSX, RefObject } from 'react';
import { useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { GlyphClean, GlyphError, GlyphSuspicious } from './glyphs.tsx';
import { IconButton } from './icon-button.tsx';
import { toastPlace } from './toast-place.ts';
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
    // Only a pointer that moves over it: one that happens to rest where a toast appears is not reading it.
    mousemove: ({ movementX, movementY }) => {
      if (movementX !== 0 || movementY !== 0) pauseToast(toast.id);
    },
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

/** Layers that toasts must not cover. */
const LAYERS = '.bp6-overlay-open .bp6-dialog, .bp6-overlay-open .pp-drawer-box';

/** Keeps the stack beside open layers, as long as it has toasts. */
function usePlace(stack: RefObject<HTMLElement | null>, isShown: boolean): void {
  useLayoutEffect(() => {
    const element = stack.current;
    if (!isShown || element === null) return undefined;
    const put = () => {
      const title = document.querySelector('.pp-title-bar')?.getBoundingClientRect().bottom ?? 0;
      const layers = [...document.querySelectorAll(LAYERS)].map((layer) => layer.getBoundingClientRect());
      const { innerWidth: width, innerHeight: height } = window;
      const beside = toastPlace({ width, height }, title, layers);
      element.toggleAttribute('data-below', beside === null);
      const place = beside ?? toastPlace({ width, height }, title, []);
      if (place === null) return;
      element.style.right = `${width - place.right}px`;
      element.style.bottom = `${height - place.bottom}px`;
      element.style.width = `${place.right - place.left}px`;
      element.style.maxHeight = `${place.bottom - place.top}px`;
    };
    // Layers are in portals beside the page, and move while they open.
    const watch = new MutationObserver(() => look());
    const look = () => {
      put();
      watch.observe(document.body, { childList: true });
      for (const portal of document.querySelectorAll('body > .bp6-portal'))
        watch.observe(portal, { childList: true, subtree: true });
    };
    look();
    window.addEventListener('resize', put);
    document.addEventListener('transitionend', put);
    return () => {
      watch.disconnect();
      window.removeEventListener('resize', put);
      document.removeEventListener('transitionend', put);
    };
  }, [stack, isShown]);
}

/** The stack at the bottom right; render it once. `focusNewestToast` is for F6. */
export function Toasts(): JSX.Element {
  const toasts = useSyncExternalStore(subscribeToasts, readToasts);
  const stack = useRef<HTMLElement>(null);
  usePlace(stack, toasts.length > 0);
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
