import { ICON_Z_INDEX } from '#shared/model/constants.ts';

export type Theme = 'dark' | 'light';

const CLASSES: Record<Theme, readonly string[]> = {
  dark: ['pp-dark', 'bp6-dark'],
  light: ['pp-light'],
};

/** Sets the theme's classes on `body`, so that portals inherit them, and notifies charts to redraw. */
export function applyTheme(theme: Theme): void {
  const { classList, style } = document.body;
  classList.add('pp');
  for (const [layer, base] of Object.entries(ICON_Z_INDEX)) style.setProperty(`--layer-${layer}`, `${base}`);
  classList.remove(...CLASSES.dark, ...CLASSES.light);
  classList.add(...CLASSES[theme]);
  window.dispatchEvent(new CustomEvent('pp-theme', { detail: theme }));
}

/** Calls back after each change of theme; returns the unsubscribe. For charts that read tokens. */
export function onThemeChange(listener: () => void): () => void {
  window.addEventListener('pp-theme', listener);
  return () => window.removeEventListener('pp-theme', listener);
}

/** A token's present value, e.g. `token('--c-found')`. For canvases that cannot use CSS variables. */
export function token(name: `--${string}`): string {
  return getComputedStyle(document.body).getPropertyValue(name).trim();
}
