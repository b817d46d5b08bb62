/**
 * Accessibility of every screen: axe in both themes, target sizes, names, forced colours, reduced motion; and nothing
 * cut off or covered at any window size or zoom.
 */
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';
import { test } from './one-window.ts';
import { front } from './screenshots/screen.ts';
import { SCREENS } from './screenshots/screens.ts';
import { SIZES, wrongAt } from './sizes.ts';

const SIZE = { width: 1024, height: 700 };
// A host of its own, so that the screens always show the same.
test.use({ viewport: SIZE, ownHost: true });

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The only rules whose result depends on the theme; the others run in one theme. */
const THEME_RULES = ['color-contrast', 'link-in-text-block'];
/** Dialogs, menus and popovers; while one is open, only it is checked. */
const OVERLAYS =
  '.bp6-overlay-open :is(.bp6-dialog, .bp6-drawer, .bp6-popover:not(.bp6-tooltip)), .pp-portal-menu, .pp-palette';
/** The frame of a mail body: the sender's markup is not ours to fix. */
const BODY_FRAME = 'iframe';

/** Screenshots that only show other data on a screen that is already covered. */
const SAME_SCREEN =
  /^email-(?!headers|body|recipients|offline|no-body)|^file-deleted|^home-offline|^groups-over-time/;
/** The screens that are also checked at every window size. */
const SIZED = new Set(
  [
    'home library builder results columns groups email email-recipients person file-permissions kept',
    'stack login-map exceptions action activity settings palette keys',
  ].flatMap((names) => names.split(' ')),
);

const rows = (page: Page) => front(page).locator('.ag-row:not(.pp-row-wait)');
const pressEscape = (page: Page) => page.keyboard.press('Escape');

async function part(page: Page, name: string): Promise<void> {
  await front(page)
    .getByRole('tab', { name: new RegExp(`^${name}`) })
    .click();
  await front(page).locator('.pp-skeleton').first().waitFor({ state: 'detached' });
}

async function library(page: Page, search: string): Promise<void> {
  await page.keyboard.press('Alt+2');
  await page.getByLabel('Search queries').fill(search);
  // The rows of before are there until the search has been applied.
  await expect(front(page).locator('[data-preview] h2')).toContainText(search, { ignoreCase: true });
}

async function openFirst(page: Page, query: string, screen: string): Promise<void> {
  await library(page, query);
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  const cell = front(page).locator('.ag-row[row-index="0"] .ag-cell').filter({ hasText: /\S/ }).nth(1);
  await cell.dblclick();
  await page.locator(`.pp-screen[data-front][data-screen="${screen}"]`).waitFor();
  // The screen's module may still be loading.
  await front(page).getByRole('heading', { level: 1 }).first().waitFor();
  await front(page).locator('.pp-skeleton').first().waitFor({ state: 'detached' });
}

async function conditions(page: Page, json: string): Promise<void> {
  await page.keyboard.press('Alt+n');
  await front(page).getByRole('button', { name: 'Edit as JSON' }).click();
  await front(page).getByLabel('Conditions as JSON').fill(json);
}

async function press(page: Page, name: string | RegExp, role: 'button' | 'menuitem' = 'button') {
  await page.getByRole(role, { name }).first().click();
}

type Theme = 'dark' | 'light';

interface State {
  name: string;
  least?: number | undefined;
  open: (page: Page) => Promise<unknown>;
  close?: ((page: Page) => Promise<unknown>) | undefined;
}

/** States that have no screenshot: parts of a profile, menus, dialogs, empty, refused and invalid states. */
const STATES: readonly State[] = [
  ...['Security stack', 'Attachments', 'Links and clicks', 'Conversation', 'Events', 'Findings'].map(
    (name) => ({
      name: `email, ${name}`,
      open: async (page: Page) => {
        if ((await front(page).getAttribute('data-screen')) !== 'email')
          await openFirst(page, 'Executive impersonation', 'email');
        await part(page, name);
      },
    }),
  ),
  {
    name: 'menu of a value',
    open: async (page) => {
      await part(page, 'Overview');
      await front(page).locator('.pp-entity').first().click();
      await page.locator('.pp-portal-menu').waitFor();
    },
    close: pressEscape,
  },
  {
    name: 'indicators',
    open: async (page) => {
      await front(page).getByRole('button', { name: 'IOCs', exact: true }).click();
      await page.getByRole('dialog').waitFor();
    },
    close: pressEscape,
  },
  {
    name: 'user, logins',
    open: async (page) => {
      await openFirst(page, 'Risky accounts without a second factor', 'person');
      await part(page, 'Logins');
    },
  },
  { name: 'user, Emails received', open: (page) => part(page, 'Emails received') },
  {
    name: 'never loaded, offline',
    open: async (page) => {
      await press(page, /^Connection /);
      await press(page, 'Go offline', 'menuitem');
      await page.getByRole('button', { name: /, offline$/ }).waitFor();
      await part(page, 'Files shared');
      await front(page).locator('.pp-empty-error').waitFor();
    },
    close: async (page) => {
      await press(page, /^Connection /);
      await press(page, 'Go online', 'menuitem');
      await page.getByRole('button', { name: /, connected$/ }).waitFor();
    },
  },
  {
    name: 'nothing found',
    open: async (page) => {
      await conditions(
        page,
        '{"operator":"and","conditions":[{"field":"subject","operator":"contains_words","values":["no mail says this"]}]}',
      );
      await front(page).getByRole('button', { name: /^Run/ }).first().click();
      await front(page)
        .getByRole('heading', { name: /^No emails match/ })
        .waitFor();
    },
  },
  {
    name: 'wrong conditions',
    open: (page) => conditions(page, '{"operator": '),
  },
  { name: 'new query', open: (page) => page.keyboard.press('Alt+n') },
  {
    name: 'menu of a query',
    open: (page) => front(page).getByRole('button', { name: 'More actions' }).click(),
    close: pressEscape,
  },
  {
    name: 'no room for two tabs',
    open: async (page) => {
      await page.keyboard.press('Control+\\');
      await page.locator('[data-toasts]').getByText('Too narrow for two tabs').waitFor();
    },
  },
  {
    name: 'menu of tabs',
    open: (page) => page.keyboard.press('Alt+t'),
    close: pressEscape,
  },
  {
    name: 'menu of connections',
    open: (page) => press(page, /^Connection /),
    close: pressEscape,
  },
  {
    name: 'form of a tenant, refused',
    open: async (page) => {
      await press(page, /^Connection /);
      await press(page, 'Add a tenant…', 'menuitem');
      await press(page, 'Add and open');
    },
    close: pressEscape,
  },
  {
    name: 'about and notices',
    open: async (page) => {
      await press(page, 'Settings');
      await press(page, /licences|notices/i);
      await page.getByRole('dialog').waitFor();
    },
    close: pressEscape,
  },
  {
    name: 'secrets',
    open: async (page) => {
      await page.locator('.pp-banners').getByRole('button', { name: 'Choose', exact: true }).click();
      await page.getByRole('dialog').waitFor();
    },
    close: pressEscape,
  },
  {
    name: 'palette that finds nothing',
    open: async (page) => {
      await page.keyboard.press('Control+K');
      await page.keyboard.insertText('no such thing anywhere');
      await page.getByRole('option', { name: 'contains “no such thing anywhere” 0' }).waitFor();
    },
    close: pressEscape,
  },
];

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
async function layoutProblems(page: Page, name: string): Promise<string[]> {
  const problems: string[] = [];
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    problems.push(...(await wrongAt(page)).map((wrong) => `${name} ${width} · ${wrong}`));
  }
  return problems;
}

for (const [title, states] of [
  [
    '[promise] axe finds nothing on any screen, in either theme; no size or zoom cuts or covers anything',
    SCREENS.filter(({ name }) => !SAME_SCREEN.test(name)),
  ],
  ['[promise] axe finds nothing on any part, menu, dialog or refusal, in either theme', STATES],
] as const)
  test(title, async ({ page }) => {
    test.setTimeout(600_000);
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
        if (states !== STATES && SIZED.has(name))
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
  });

test('a dozen tabs fit at every size, and a window that is too small says so', async ({ page }) => {
  const tabs = page.getByRole('navigation', { name: 'Tabs' }).getByRole('tab');
  const before = await tabs.count();
  for (let more = 1; more <= 12; more++) {
    await page.keyboard.press('Alt+n');
    await expect(tabs).toHaveCount(before + more);
  }
  expect(await layoutProblems(page, 'a dozen tabs')).toEqual([]);
  // The size of a window at 300 % zoom.
  await page.setViewportSize({ width: 426, height: 266 });
  await expect(page.getByText(/too small for Parapet/)).toBeVisible();
  await expect(page.locator('.pp-shell')).toBeHidden();
});

/** The computed colours, outline and appearance of an element. */
const appearance = (page: Page, selector: string): Promise<string> =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => {
      const { backgroundColor, color, borderColor, outlineStyle, outlineColor, appearance } =
        getComputedStyle(element);
      // The grid library draws the selection of a row in `::before`.
      const before = getComputedStyle(element, '::before');
      const ground = before.content === 'none' ? backgroundColor : before.backgroundColor;
      return [ground, color, borderColor, outlineStyle, outlineColor, appearance].join(' · ');
    });

test('[promise] forced colours, more contrast and reduced motion are respected', async ({ page }) => {
  await openFirst(page, 'Executive impersonation', 'email');
  await page.emulateMedia({ forcedColors: 'active' });
  const expectDifferent = async (chosen: string, other: string) =>
    expect(await appearance(page, chosen), `${chosen} against ${other}`).not.toBe(
      await appearance(page, other),
    );
  await expectDifferent('.pp-rail-active', '.pp-rail-item:not(.pp-rail-active)');
  await expectDifferent('.pp-tab-active', '.pp-tab:not(.pp-tab-active)');
  await expectDifferent(
    '[data-front] .pp-tabs-strip > [aria-selected="true"]',
    '[data-front] .pp-tabs-strip > [aria-selected="false"]',
  );
  await expectDifferent(
    '[data-front] .pp-segmented > label:has(:checked)',
    '[data-front] .pp-segmented > label:not(:has(:checked), :has(:disabled))',
  );
  await page.keyboard.press('Alt+w');
  await rows(page).nth(2).waitFor();
  await rows(page).nth(1).locator('.ag-cell[col-id="subject"]').click();
  await page.keyboard.press('x');
  await page.keyboard.press('j');
  await page.keyboard.press('Space');
  await page.locator('[data-peek]').waitFor();
  const grid = '[data-front] .pp-grid';
  await expectDifferent(`${grid} .ag-row-selected`, `${grid} .ag-row:not(.ag-row-selected, .pp-row-peeked)`);
  await expectDifferent(`${grid} .pp-row-peeked`, `${grid} .ag-row:not(.ag-row-selected, .pp-row-peeked)`);
  await expectDifferent(
    `[data-front] .ag-cell-focus`,
    `${grid} .ag-row:not(.ag-row-selected) .ag-cell:not(.ag-cell-focus)`,
  );
  const [ground, text] = (await appearance(page, `${grid} .ag-row-selected`)).split(' · ');
  const system = await page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement('i'));
    Object.assign(probe.style, {
      forcedColorAdjust: 'none',
      background: 'Highlight',
      color: 'HighlightText',
    });
    const { backgroundColor, color } = getComputedStyle(probe);
    probe.remove();
    return [backgroundColor, color];
  });
  expect([ground, text]).toEqual(system);
  // A native checkbox, which shows its state in forced colours.
  expect(await appearance(page, '[data-front] .pp-check')).toMatch(/auto$/);
  // Disabled items look different.
  await page.keyboard.press('Alt+n');
  await front(page).getByRole('button', { name: 'More actions' }).click();
  await expectDifferent('.bp6-menu-item.bp6-disabled', '.bp6-menu-item:not(.bp6-disabled, :focus)');
  await expectDifferent('.bp6-menu-item:focus', '.bp6-menu-item:not(.bp6-disabled, :focus)');
  await pressEscape(page);

  await page.emulateMedia({ forcedColors: 'none' });
  const tokens = () =>
    page.evaluate(() => {
      const style = getComputedStyle(document.body);
      return ['--t2', '--t3', '--line', '--line2', '--ctl'].map((name) => style.getPropertyValue(name));
    });
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, contrast: 'no-preference' });
    await expect(page.locator('body')).toHaveClass(new RegExp(`pp-${colorScheme}`));
    const usual = await tokens();
    await page.emulateMedia({ contrast: 'more' });
    for (const [index, value] of (await tokens()).entries()) expect(value).not.toBe(usual[index]);
  }

  // Every test runs with reduced motion: no transition or animation may run.
  const moving = await page.evaluate(() => {
    const seconds = (times: string) => Math.max(...times.split(',').map(Number.parseFloat));
    const moving = [...document.querySelectorAll('*')].flatMap((element) =>
      [undefined, '::before', '::after'].flatMap((pseudo) => {
        const { transitionDuration, animationDuration, animationIterationCount } = getComputedStyle(
          element,
          pseudo,
        );
        const still =
          seconds(transitionDuration) === 0 &&
          seconds(animationDuration) < 0.001 &&
          animationIterationCount !== 'infinite';
        return still ? [] : [`${element.localName}.${element.getAttribute('class')}${pseudo ?? ''}`];
      }),
    );
    return [...new Set(moving)];
  });
  expect(moving).toEqual([]);
  await page.emulateMedia({ colorScheme: null, contrast: null, forcedColors: null });
});
