/**
 * Accessibility of every screen: axe in both themes, target sizes, names, forced colours, reduced motion; and nothing
 * cut off or covered at any window size or zoom.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { wordedText } from '../support/worded-mail.ts';
import { checkStates, layoutProblems, SIZE, type State } from './axe.ts';
import { openFolder } from './evidence-folder.ts';
import { expect } from './fixtures.ts';
import { test } from './one-window.ts';
import { front } from './screenshots/screen.ts';
import { SCREENS } from './screenshots/screens.ts';

// A host of its own, so that the screens always show the same.
test.use({ viewport: SIZE, ownHost: true });

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

for (const [title, states] of [
  [
    '[promise] axe finds nothing on any screen, in either theme; no size or zoom cuts or covers anything',
    SCREENS.filter(({ name }) => !SAME_SCREEN.test(name)),
  ],
  ['[promise] axe finds nothing on any part, menu, dialog or refusal, in either theme', STATES],
] as const)
  test(title, async ({ page }) => {
    test.setTimeout(600_000);
    await checkStates(page, states, (name) => states !== STATES && SIZED.has(name));
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

/** What only evidence has: its Home, campaigns, reasons and rules. */
function evidenceStates(folder: string): State[] {
  const home = async (page: Page) => {
    await page.keyboard.press('Alt+1');
    await front(page).locator('[data-panel="Campaigns that deserve a look"] .pp-panel-count').waitFor();
    await front(page).locator('[data-panel="Hunts"]').getByText('18 more find nothing').waitFor();
  };
  const campaign = async (page: Page) => {
    await home(page);
    await press(page, /^“Act now: verify”/);
    await front(page).locator('[data-panel="Emails"] .pp-panel-count').waitFor();
  };
  const email = async (page: Page) => {
    await campaign(page);
    await page.keyboard.press('s');
    await rows(page).first().waitFor();
    await page.keyboard.press('Enter');
    await front(page).locator('[data-panel="What this mail shows"] .em-reason').first().waitFor();
  };
  const rules = async (page: Page) => {
    await page.keyboard.press('Alt+9');
    await expect(front(page)).toHaveAttribute('data-screen', 'rules');
    await expect(front(page)).toContainText(/No rules|All mail checked/);
  };
  return [
    {
      name: 'evidence, Home',
      open: async (page) => {
        await openFolder(page, folder);
        await home(page);
      },
    },
    { name: 'campaign', open: campaign },
    { name: 'reasons', open: email },
    {
      name: 'the place of a reason',
      open: async (page) => {
        await email(page);
        await front(page).locator('.em-reason').filter({ hasText: 'Body' }).first().click();
        await expect(front(page).locator('.em-place-words')).toContainText('The words are marked');
      },
    },
    {
      name: 'rule, incomplete',
      open: async (page) => {
        await rules(page);
        await page.keyboard.press('n');
        await page.keyboard.press('Control+s');
        await expect(front(page)).toContainText('Enter a name');
      },
      close: (page) => press(page, 'Cancel'),
    },
    {
      name: 'rule in YARA with its effect',
      open: async (page) => {
        await rules(page);
        await page.keyboard.press('n');
        await front(page).getByLabel('Kind').selectOption('yara');
        await front(page).getByLabel('Name').fill('Parcels');
        await front(page).getByLabel('Sentence').fill('Has a parcel');
        await front(page).getByLabel('YARA').fill('rule r { strings: $a = "verify" condition: $a }');
        await press(page, 'Count its emails');
        await expect(front(page).locator('[data-effect]')).toHaveText('Finds 3 emails.');
      },
      close: async (page) => {
        await page.keyboard.press('Control+s');
        await expect(front(page).locator('.ag-row [col-id="hits"]')).toHaveText('3');
      },
    },
    { name: 'rules', open: rules },
    {
      name: 'import of rules',
      open: async (page) => {
        await rules(page);
        const choosing = page.waitForEvent('filechooser');
        await page.keyboard.press('i');
        const rule = (index: number) => ({
          kind: 'yara',
          name: `Rule ${index}`,
          severity: 4,
          sentence: 'x',
          text: index < 2 ? 'rule {' : 'rule r { condition: true }',
        });
        const buffer = Buffer.from(
          JSON.stringify({ parapet_rules: 1, rules: Array.from({ length: 501 }, (_, index) => rule(index)) }),
        );
        await (await choosing).setFiles({ name: 'rules.json', mimeType: 'application/json', buffer });
        await page.getByRole('dialog').waitFor();
      },
      close: pressEscape,
    },
  ];
}

test('[promise] axe finds nothing on the screens of evidence; no size or zoom cuts or covers anything', async ({
  page,
}) => {
  test.setTimeout(600_000);
  const folder = mkdtempSync(path.join(tmpdir(), 'parapet-evidence-'));
  try {
    const text = `${wordedText(1)} Unusual sign-in: verify your account within 24 hours or it will be suspended`;
    for (const [index, host] of ['cheap-host.xyz', 'other-host.top', 'third-host.icu'].entries())
      writeFileSync(
        path.join(folder, `${index}.eml`),
        `From: PayPal <x${index}@${host}>\r\nTo: bo@corp.com\r\nSubject: Act now: verify\r\nDate: ${3 + index} Nov 2026 08:00:00 +0000\r\n\r\n${text}\r\n`,
      );
    await checkStates(page, evidenceStates(folder), () => true);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
