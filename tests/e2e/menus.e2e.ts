/** Every menu there is shows all of its items: none is cut off, covered or only reached by scrolling. */
import { expect } from './fixtures.ts';
import { test } from './one-window.ts';
import { front } from './screenshots/screen.ts';
import { SCREENS } from './screenshots/screens.ts';

// A host of its own, as one of the screens sends an action.
test.use({ ownHost: true });

const SIZES = [
  [1024, 700],
  [1440, 900],
] as const;
/** The screens that differ in their menus. */
const PLACES = new Set(
  [
    'home library builder results groups email stack login-map file-public person group message exceptions',
    'activity settings',
  ].flatMap((names) => names.split(' ')),
);
/** Their parts are opened one after another. */
const PROFILES = new Set(['email', 'file-public', 'person', 'group', 'message']);
/** In their menus a selection adds items. */
const SELECTABLE = new Set(['library', 'results']);
/** Some of the menus that must have been opened, with their fewest items: without them, the list of all is wrong. */
const LEAST: readonly [string, number][] = [
  ['window: UTC', 3],
  ['window: List of tabs', 5],
  ['home: Found Open as query', 3],
  ['library: More', 8],
  ['library: More actions', 6],
  ['builder: Group move or edit', 7],
  ['results: Act', 15],
  ['results: Copy', 4],
  ['results: cell received', 5],
  ['groups: Export groups', 3],
  ['email: More actions', 18],
  ['email: Similar ()', 6],
  ['email: Header analysis more', 3],
  ['activity: Export', 2],
  ['settings: Connections more', 3],
  ['login-map: pp-login', 10],
  ['file-public: More actions', 13],
  ['person: Act', 5],
  ['group: Act', 4],
  ['message: Facts more', 2],
  ['exceptions: cell value', 6],
];
/** A busy window may still lay out its panels when a menu is to open. */
const TRIES = 3;

interface Opener {
  /** Where it is, and its name without figures and without the value it is about. */
  key: string;
  left: number;
  top: number;
  button: 'left' | 'right';
}

/**
 * What opens a menu and can be pressed now: what says so, and the cells of grids, by the secondary button. Of those that
 * repeat in rows, such as values, the last counts, as it has the least room below.
 */
function openersOnScreen(place: string): Opener[] {
  const openers = new Map<string, Opener>();
  const add = (key: string, element: Element, button: Opener['button']) => {
    if (!element.checkVisibility() || element.matches(':disabled, [aria-disabled="true"]')) return;
    const { x, y, width, height } = element.getBoundingClientRect();
    const [left, top] = [x + width / 2, y + height / 2];
    if (element.contains(document.elementFromPoint(left, top))) openers.set(key, { key, left, top, button });
  };
  for (const element of document.querySelectorAll('[aria-haspopup="menu"]')) {
    const isRepeated =
      element.closest('.pp-entity, .pp-login, .pp-qb-row, li, tr, [data-item], .ag-row') !== null;
    const name = (element.ariaLabel || element.textContent || '').replace(/[\d.,:]+/g, '');
    // The bars of the window are the same on every screen.
    const where = element.closest('.pp-screen') === null ? 'window' : place;
    const words = (isRepeated ? element.className : name).replace(/\s+/g, ' ').trim();
    add(`${where}: ${words}`, element, 'left');
  }
  for (const element of document.querySelectorAll('.ag-row .ag-cell[col-id]:not([col-id^="pp-"])'))
    add(`${place}: cell ${element.getAttribute('col-id')}`, element, 'right');
  return [...openers.values()];
}

interface Shown {
  items: number;
  /** Items whose middle is not theirs on screen. */
  hidden: string[];
}

/** The open menu, once its items are in place or it has had time enough; null: none opened. */
async function shownItems(frames: number): Promise<Shown | null> {
  let shown: Shown | null = null;
  for (let frame = 0; frame < frames && shown?.hidden.length !== 0; frame += 1) {
    await new Promise(requestAnimationFrame);
    const menu = [...document.querySelectorAll('.bp6-popover .bp6-menu, .pp-portal-menu .bp6-menu')].at(-1);
    const items = [...(menu?.querySelectorAll('.bp6-menu-item') ?? [])];
    const hidden = items.filter((item) => {
      const { x, y, width, height } = item.getBoundingClientRect();
      return !item.contains(document.elementFromPoint(x + width / 2, y + height / 2));
    });
    if (items.length > 0)
      shown = { items: items.length, hidden: hidden.map(({ textContent }) => textContent ?? '') };
  }
  return shown;
}

test('every item of every menu is on screen without scrolling', async ({ page }) => {
  test.setTimeout(600_000);
  const wrong: string[] = [];
  const opened = new Map<string, number>();
  const tries = new Map<string, number>();
  const openAll = async (place: string) => {
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      for (;;) {
        // Menus of cells are placed by the pointer: a larger window only gives them more room.
        const openers = (await page.evaluate(openersOnScreen, place)).filter(
          ({ button }) => button === 'left' || height === SIZES[0][1],
        );
        const next = openers.find(({ key }) => (tries.get(`${width} ${key}`) ?? 0) < TRIES);
        if (next === undefined) break;
        const { key, left, top, button } = next;
        const name = `${width} ${key}`;
        const tried = (tries.get(name) ?? 0) + 1;
        await page.mouse.click(left, top, { button });
        const shown = await page.evaluate(shownItems, button === 'left' ? 60 : 20);
        // Not every cell has a menu.
        tries.set(name, shown === null && button === 'left' ? tried : TRIES);
        if (shown === null && button === 'left' && tried === TRIES) wrong.push(`${name}: opens no menu`);
        for (const item of shown?.hidden ?? []) wrong.push(`${name}: ${item}`);
        if (shown === null) continue;
        opened.set(key, Math.max(shown.items, opened.get(key) ?? 0));
        await page.keyboard.press('Escape');
        await page.waitForFunction(
          () => document.querySelector('.bp6-popover .bp6-menu, .pp-portal-menu') === null,
        );
      }
    }
  };
  for (const { name, open, close } of SCREENS.filter((screen) => PLACES.has(screen.name))) {
    await page.setViewportSize({ width: 1280, height: 720 });
    await open(page);
    // The screen's module may still be loading.
    await front(page).locator('h1').first().waitFor({ state: 'attached' });
    await front(page).locator('.pp-skeleton').first().waitFor({ state: 'detached' });
    await openAll(name);
    if (SELECTABLE.has(name)) {
      await front(page).locator('.ag-row .ag-cell').nth(1).click();
      await page.keyboard.press('x');
      for (const key of [...tries.keys()])
        if (key.includes(`${name}: `) && !key.includes(': cell ')) tries.delete(key);
      await openAll(name);
    }
    const parts = front(page).getByRole('tab');
    if (PROFILES.has(name))
      for (let part = 1; part < (await parts.count()); part += 1) {
        await parts.nth(part).click();
        await front(page).locator('.pp-skeleton').first().waitFor({ state: 'detached' });
        await openAll(name);
      }
    await close?.(page);
    // Few tabs, as a list of many has to scroll.
    await page.keyboard.press('Alt+Shift+W');
  }
  expect(wrong).toEqual([]);
  for (const [key, items] of LEAST) expect.soft(opened.get(key) ?? 0, key).toBeGreaterThanOrEqual(items);
});
