/** Printing: scrollable content is rendered in full, in light colours, and each page has a header. */
import { createContext, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { screenInFront } from './focus.ts';
import { applyTheme } from './theme.ts';

/** Whether everything is rendered instead of only what is in view. */
export const WholeContext = createContext(false);
/** Maximum number of printed rows per list; the rest is counted. */
export const PRINTED_ROWS = 1000;

const LOOK_EVERY_MS = 150;
/** Timeout for loading; data that has not arrived by then is printed as unknown. */
const WAIT_MS = 10_000;

let drawWhole: ((whole: boolean) => void) | null = null;

/** Renders the front screen in full while it is printed. */
export function usePrintsWhole(isInFront: boolean): boolean {
  const [whole, setWhole] = useState(false);
  useEffect(() => {
    if (!isInFront) return undefined;
    const draw = (next: boolean) => flushSync(() => setWhole(next));
    drawWhole = draw;
    return () => {
      if (drawWhole === draw) drawWhole = null;
    };
  }, [isInFront]);
  return whole && isInFront;
}

const isBusy = () =>
  screenInFront()?.querySelector('.pp-skeleton, [aria-busy="true"]:not(.pp-grid), [data-drawing]') !== null;

async function drawn(): Promise<void> {
  const until = performance.now() + WAIT_MS;
  for (let still = 0; still < 3 && performance.now() < until; still = isBusy() ? 0 : still + 1)
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
}

/** Opens the system's print dialog once the front screen is fully rendered. */
export async function printFront(): Promise<void> {
  if (document.querySelector('[data-printing]') !== null) return;
  document.body.dataset['printing'] = '';
  drawWhole?.(true);
  await drawn();
  print();
}

const cssText = (text: string) =>
  `"${[...text].map((sign) => (/[\w .,:;()/@-]/.test(sign) ? sign : `\\${sign.codePointAt(0)?.toString(16) ?? ''} `)).join('')}"`;

const TYPE = 'font: 8pt "Inter Variable", sans-serif;';
/** Page margins with what is printed, its source and the time. */
export const pageMarks = ([left, right]: readonly [string, string]): string => `@page {
  @top-left { content: ${cssText(left)}; ${TYPE} }
  @bottom-left { content: ${cssText(right)}; ${TYPE} }
  @bottom-right { content: counter(page) " / " counter(pages); ${TYPE} }
}`;

/** Adds margins to every print, including those started from the browser's menu. Returns the cleanup. */
export function watchPrinting(marks: () => readonly [string, string]): () => void {
  const sheet = new CSSStyleSheet();
  let theme: 'dark' | 'light' = 'light';
  const before = () => {
    if (document.adoptedStyleSheets.includes(sheet)) return;
    theme = document.body.classList.contains('pp-dark') ? 'dark' : 'light';
    sheet.replaceSync(pageMarks(marks()));
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    applyTheme('light');
  };
  const after = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((styleSheet) => styleSheet !== sheet);
    applyTheme(theme);
    delete document.body.dataset['printing'];
    drawWhole?.(false);
  };
  window.addEventListener('beforeprint', before);
  window.addEventListener('afterprint', after);
  return () => {
    window.removeEventListener('beforeprint', before);
    window.removeEventListener('afterprint', after);
  };
}
