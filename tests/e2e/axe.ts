/**
 * Walks through states of the window: axe in both themes, target sizes and names, and nothing cut off or covered at any
 * window size or zoom.
 */
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { front } from './screenshots/screen.ts';
import { SIZES, wrongAt } from './sizes.ts';

export const SIZE = { width: 1024, height: 700 };

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The only rules whose result depends on the theme; the others run in one theme. */
const THEME_RULES = ['color-contrast', 'link-in-text-block'];
/** Dialogs, menus and popovers; while one is open, only it is checked. */
const OVERLAYS =
  '.bp6-overlay-open :is(.bp6-dialog, .bp6-drawer, .bp6-popover:not(.bp6-tooltip)), .pp-portal-menu, .pp-palette';
/** The frame of a mail body: the sender's markup is not ours to fix. */
const BODY_FRAME = 'iframe';

type Theme = 'dark' | 'light';

export interface State {
  name: string;
  least?: number | undefined;
  open: (page: Page) => Promise<unknown>;
  close?: ((page: Page) => Promise<unknown>) | undefined;
}

/** Targets below 24 by 24 pixels that are too close to another (WCAG 2.2, 2.5.8); axe skips those outside the tab order. */
const smallTargets = (page: Page): Promise<string[]> =>
  page.evaluate((layers) => {
    const LEAST = 24;
    const TARGETS =
      'a[href], button, input, select, textarea, summary, [role="tab"], [role="option"], [role^="menuitem"], [role="slider"]';
    // Bars and cells of a chart: their size is the value that they show.
    const DRAWN = '.pp-bars-keys > button, .pp-week-cell';
    const top = [...document.querySelectorAll(layers)].at(-1);
    const shown = [...document.querySelectorAll<HTMLElement>(TARGETS)]
      .filter(
        (element) =>
          (top ? top.contains(element) : true) && element.checkVisibility({ visibilityProperty: true }),
      )
      .map((element) => {
        const around = element instanceof HTMLInputElement ? element.closest('label') : null;
        const rect = (around ?? element).getBoundingClientRect();
        return { one: element, rect, x: rect.x + rect.width / 2, y: rect.y + rect.height / 2 };
      })
      // Only targets that are not scrolled out of view.
      .filter(({ one, rect, x, y }) => {
        const hit = rect.width > 0 && rect.height > 0 ? document.elementFromPoint(x, y) : null;
        return hit !== null && (hit === one || one.contains(hit) || hit.contains(one));
      });
    const scrollerOf = (element: HTMLElement) => {
      let box = element.parentElement;
      while (box && !/auto|scroll/.test(getComputedStyle(box).overflowY)) box = box.parentElement;
      return box;
    };
    const isSmall = ({ rect }: { rect: DOMRect }) => rect.width < LEAST - 0.5 || rect.height < LEAST - 0.5;
    const inText = (element: HTMLElement) =>
      getComputedStyle(element).display === 'inline' &&
      (element.parentElement?.textContent?.trim().length ?? 0) > (element.textContent?.trim().length ?? 0);
    return shown
      .filter((small) => isSmall(small) && !small.one.matches(DRAWN) && !inText(small.one))
      .filter((small) =>
        shown.some((other) => {
          if (other.one === small.one || other.one.contains(small.one) || small.one.contains(other.one))
            return false;
          // Content that scrolls under the edge of its panel comes close to everything beside the panel.
          if (scrollerOf(other.one) !== scrollerOf(small.one)) return false;
          const { rect } = other;
          const [nearX, nearY] = isSmall(other)
            ? [other.x, other.y]
            : [
                Math.min(Math.max(small.x, rect.left), rect.right),
                Math.min(Math.max(small.y, rect.top), rect.bottom),
              ];
          return Math.hypot(nearX - small.x, nearY - small.y) < (isSmall(other) ? LEAST : LEAST / 2) - 0.5;
        }),
      )
      .map(
        ({ one, rect }) =>
          `${Math.round(rect.width)}x${Math.round(rect.height)} ${one.localName}.${one.className}: ${one.ariaLabel ?? one.textContent}`,
      );
  }, OVERLAYS);

/** Scroll containers that the keyboard could not reach once they overflow; axe reports them only while they do. */
const scrollersWithoutStop = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('body *')]
      .filter((element) => {
        const { overflowX, overflowY } = getComputedStyle(element);
        return (
          /auto|scroll/.test(`${overflowX} ${overflowY}`) &&
          element.checkVisibility({ visibilityProperty: true }) &&
          element.dataset['scrollStop'] === undefined &&
          // The grid's own scroll bars, and the backdrop of a dialog.
          !element.matches('textarea, [tabindex], [class^="ag-"], .bp6-overlay, .bp6-overlay-backdrop') &&
          element.querySelector('button, a[href], input, select, textarea, [tabindex]') === null
        );
      })
      .map((element) => `${element.localName}.${element.className}`),
  );

/**
 * Marks texts whose colour, size, weight and backgrounds equal those of a text already checked in this theme. Their
 * contrast is the same, and contrast is half of the time that axe takes.
 */
const markCheckedStyles = (page: Page, theme: string): Promise<void> =>
  page.evaluate((shown) => {
    const before = document.body as HTMLElement & { checkedStyles?: Set<string> };
    before.checkedStyles ??= new Set();
    const grounds = new Map<Element, string>();
    const groundOf = (element: Element | null): string => {
      if (element === null) return '';
      let ground = grounds.get(element);
      if (ground === undefined) {
        const { backgroundColor, backgroundImage, opacity, filter, position } = getComputedStyle(element);
        const look = [backgroundColor, backgroundImage, opacity, filter].join(' ');
        // A positioned element may have any other element behind it.
        const place = position === 'absolute' || position === 'fixed' ? element.className : '';
        const plain = look === 'rgba(0, 0, 0, 0) none 1 none' && place === '';
        ground = `${groundOf(element.parentElement)}${plain ? '' : `/${look} ${place}`}`;
        grounds.set(element, ground);
      }
      return ground;
    };
    for (const element of document.querySelectorAll('[data-alike]')) element.removeAttribute('data-alike');
    for (const element of document.querySelectorAll('body *:not(.pp-screen[hidden] *)')) {
      const hasText = [...element.childNodes].some(
        (node) => node.nodeType === Node.TEXT_NODE && node.nodeValue?.trim(),
      );
      if (!hasText) continue;
      const { color, fontSize, fontWeight, textShadow } = getComputedStyle(element);
      const appearance = [shown, color, fontSize, fontWeight, textShadow, groundOf(element)].join(' ');
      if (before.checkedStyles.has(appearance)) {
        element.setAttribute('data-alike', '');
        continue;
      }
      // Axe checks visible text only.
      const { x, y, width, height } = element.getBoundingClientRect();
      const hit = document.elementFromPoint(x + width / 2, y + height / 2);
      if (hit !== null && (hit === element || element.contains(hit))) before.checkedStyles.add(appearance);
    }
  }, theme);

/** Makes axe check the contrast of unmarked elements only. */
const skipCheckedStyles = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const { axe } = globalThis as unknown as { axe: { configure(spec: object): void } };
    axe.configure({ rules: [{ id: 'color-contrast', selector: ':not([data-alike])' }] });
  });

/** Ids that several elements have, also in hidden tabs. */
const repeatedIds = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const ids = [...document.querySelectorAll('[id]:not(svg *)')].map((element) => element.id);
    return ids.filter((id, index) => ids.indexOf(id) !== index);
  });

/** Takes the content of hidden tabs out of the document, or puts it back: axe visits each node, even a hidden one. */
const setHiddenTabs = (page: Page, isThere: boolean): Promise<void> =>
  page.evaluate((back) => {
    const store = globalThis as { hiddenTabs?: [Element, DocumentFragment][] };
    if (back) for (const [tab, content] of store.hiddenTabs ?? []) tab.append(content);
    else
      store.hiddenTabs = [...document.querySelectorAll('.pp-screen[hidden]')].map((tab) => {
        const content = document.createDocumentFragment();
        content.append(...tab.childNodes);
        return [tab, content];
      });
  }, isThere);

/** Violations of axe and of the rules above. All rules run in `first`, the current theme; THEME_RULES in both. */
async function violations(page: Page, first: Theme, axeSource?: string): Promise<string[]> {
  const problems = (await repeatedIds(page)).map((id) => `id · ${id}`);
  await setHiddenTabs(page, false);
  for (const theme of [first, first === 'dark' ? 'light' : 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await expect(page.locator('body')).toHaveClass(new RegExp(`pp-${theme}`));
    const axe = new AxeBuilder({ page, ...(axeSource === undefined ? {} : { axeSource }) })
      .setLegacyMode()
      .exclude(BODY_FRAME)
      .options({ resultTypes: ['violations'] });
    if ((await page.locator(OVERLAYS).count()) > 0) axe.include(OVERLAYS);
    await markCheckedStyles(page, theme);
    const rules = theme === first ? axe.withTags(TAGS) : axe.withRules(THEME_RULES);
    for (const { id, nodes } of (await rules.analyze()).violations)
      for (const { target, html } of nodes)
        problems.push(`${theme} · ${id} · ${target.join(' ')} · ${html.slice(0, 160)}`);
  }
  for (const target of await smallTargets(page)) problems.push(`target · ${target}`);
  for (const scroller of await scrollersWithoutStop(page)) problems.push(`scroller · ${scroller}`);
  // "180", "+2" or "–" is no name for a button; values taken from a mail are exempt.
  const bare = page
    .getByRole('button', { name: /^[^\p{L}]*$/u })
    .and(page.locator(':not(.pp-entity)'))
    .filter({ visible: true });
  for (const html of await bare.evaluateAll((all) => all.map((element) => element.outerHTML.slice(0, 160))))
    problems.push(`name · ${html}`);
  await setHiddenTabs(page, true);
  return [...new Set(problems)];
}

/** What is cut off or covered at any supported window size; the window keeps the last one. */
export async function layoutProblems(page: Page, name: string): Promise<string[]> {
  const problems: string[] = [];
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    problems.push(...(await wrongAt(page)).map((wrong) => `${name} ${width} · ${wrong}`));
  }
  return problems;
}

/** Opens and checks each state. `isSized`: which are also checked at every window size. */
export async function checkStates(
  page: Page,
  states: readonly State[],
  isSized: (name: string) => boolean,
): Promise<void> {
  let axeSource: string | undefined;
  let theme: Theme = 'dark';
  for (const { name, least = SIZE.width, open, close } of states)
    await test.step(name, async () => {
      await page.setViewportSize({ ...SIZE, width: Math.max(SIZE.width, least) });
      await test.step('open', () => open(page));
      // The screen's module may still be loading.
      await front(page).locator('h1').first().waitFor({ state: 'attached' });
      // No tooltip.
      await page.mouse.move(0, 0);
      // Wait for closing overlays to go.
      await expect(page.locator('.bp6-overlay:not(.bp6-overlay-open) > *')).toHaveCount(0);
      expect.soft(await test.step('rules', () => violations(page, theme, axeSource)), name).toEqual([]);
      theme = theme === 'dark' ? 'light' : 'dark';
      // The setting stays in the page.
      if (axeSource === undefined) await skipCheckedStyles(page);
      axeSource = ';';
      if (isSized(name))
        expect.soft(await test.step('sizes', () => layoutProblems(page, name)), name).toEqual([]);
      if (close !== undefined) {
        await page.setViewportSize({ ...SIZE, width: Math.max(SIZE.width, least) });
        await close(page);
        await expect(page.getByRole('dialog')).toHaveCount(0);
      }
      // Axe also walks hidden elements: open tabs would add up and make it four times slower.
      await page.keyboard.press('Alt+Shift+W');
      await expect(page.getByRole('navigation', { name: 'Tabs' }).getByRole('tab')).toHaveCount(1);
      // The toast about unsaved changes stays until it is closed, and covers controls.
      await page
        .locator('[data-toasts]')
        .getByRole('button', { name: 'Close' })
        .evaluateAll((all) => {
          for (const element of all) if (element instanceof HTMLElement) element.click();
        });
    });
  await page.emulateMedia({ colorScheme: null });
}
