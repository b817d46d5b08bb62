/** Printing: what scrolls on screen is drawn whole, in light colours, and each page says what it is of. */
import { createContext, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { screenInFront } from './focus.ts';
import { applyTheme } from './theme.ts';

/** Whether everything is drawn, not only what is in view. */
export const WholeContext = createContext(false);
/** Rows of one list on paper; more are counted. */
export const PRINTED_ROWS = 1000;

const LOOK_EVERY_MS = 150;
/** What a service has not answered by then is printed as what it is: not known. */
const WAIT_MS = 10_000;

let drawWhole: ((whole: boolean) => void) | null = null;

/** Draws a screen whole while it is printed. Only the one in front is. */
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

/** Until what is being loaded is there. */
async function drawn(): Promise<void> {
  const until = performance.now() + WAIT_MS;
  for (let still = 0; still < 3 && performance.now() < until; still = isBusy() ? 0 : still + 1)
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
}

/** Opens the dialog of the system for what is in front, once all of it is drawn. */
export async function printFront(): Promise<void> {
  if (document.querySelector('[data-printing]') !== null) return;
  document.body.dataset['printing'] = '';
  drawWhole?.(true);
  await drawn();
  print();
}

/** A text as CSS takes it, whatever it holds. */
const cssText = (text: string) =>
  `"${[...text].map((sign) => (/[\w .,:;()/@-]/.test(sign) ? sign : `\\${sign.codePointAt(0)?.toString(16) ?? ''} `)).join('')}"`;

const TYPE = 'font: 8pt "Inter Variable", sans-serif;';
/** In the margins of each page. `lines`: what it is of, and whence and when. */
export const pageMarks = ([left, right]: readonly [string, string]): string => `@page {
  @top-left { content: ${cssText(left)}; ${TYPE} }
  @bottom-left { content: ${cssText(right)}; ${TYPE} }
  @bottom-right { content: counter(page) " / " counter(pages); ${TYPE} }
}`;

/** Marks the pages of every print, also of one that the browser's own menu asks for. Returns the end of it. */
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
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
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
