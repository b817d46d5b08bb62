/** The browser host seen from a browser. */
import { expect, test } from './fixtures.ts';

test('the printed address opens the console and leaves no token behind', async ({ host, page }) => {
  const elsewhere: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    const local =
      url.protocol === 'data:' || url.protocol === 'blob:' || url.origin === new URL(host.url).origin;
    if (!local) elsewhere.push(request.url());
  });
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));

  await page.goto(host.url);
  await expect(page.getByRole('navigation').first()).toBeVisible();
  expect(page.url()).not.toContain('token');
  expect(await page.evaluate(() => document.cookie)).toBe('');
  expect(elsewhere).toEqual([]);
  expect(complaints).toEqual([]);

  await page.reload();
  await expect(page.getByRole('navigation').first()).toBeVisible();
});

test('without the token a page learns nothing, and says what to do', async ({ host, browser }) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(new URL(host.url).origin);
  await expect(page.getByText('no session with Parapet')).toBeVisible();
  await context.close();
});

test('another site can neither frame the console nor open its wire', async ({ host, browser }) => {
  const { origin } = new URL(host.url);
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.route('https://evil.example/', (route) =>
    route.fulfill({ contentType: 'text/html', body: `<iframe src="${origin}/"></iframe>` }),
  );
  await page.goto('https://evil.example/');
  const opened = await page
    .evaluate(
      (address) =>
        new Promise<string>((resolve) => {
          const socket = new WebSocket(address);
          socket.onopen = () => resolve('open');
          socket.onerror = () => resolve('refused');
        }),
      `${origin.replace('http', 'ws')}/wire`,
    )
    .catch(() => 'refused');
  expect(opened).toBe('refused');
  const frame = page.frames().find((candidate) => candidate !== page.mainFrame());
  expect(await frame?.locator('nav').count()).toBe(0);
  await context.close();
});
