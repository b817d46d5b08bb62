/** The browser host, from the browser's side. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from './fixtures.ts';
import { startHost } from './host.ts';

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
  // Chromium logs no error for a violation that a script catches; other browsers do.
  await page.addInitScript(() =>
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      console.error(`content policy: ${violatedDirective} ${blockedURI}`),
    ),
  );

  await page.goto(host.url);
  await expect(page.getByRole('navigation').first()).toBeVisible();
  expect(page.url()).not.toContain('token');
  expect(await page.evaluate(() => document.cookie)).toBe('');
  expect(elsewhere).toEqual([]);
  expect(complaints).toEqual([]);

  await page.reload();
  await expect(page.getByRole('navigation').first()).toBeVisible();
});

test('a session belongs to its tab and uses no cookie, and the printed address works more than once', async ({
  host,
  browser,
}) => {
  const { origin } = new URL(host.url);
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(host.url);
  await expect(page.getByRole('navigation').first()).toBeVisible();
  expect(await context.cookies()).toEqual([]);
  expect(await page.evaluate(() => localStorage.length)).toBe(0);

  const second = await context.newPage();
  await second.goto(origin);
  await expect(second.getByText('no session with Parapet')).toBeVisible();
  // Pasted into the open tab, the address changes only the fragment and loads nothing.
  await second.evaluate((url) => {
    location.href = url;
  }, host.url);
  await expect(second.getByRole('navigation').first()).toBeVisible();
  expect(second.url()).not.toContain('token');
  await second.goto(origin);
  await expect(second.getByRole('navigation').first()).toBeVisible();
  await context.close();
});

test('a server on another port receives no credential of the console', async ({ host, browser }) => {
  const heard: string[] = [];
  const neighbour = http.createServer((request, response) => {
    heard.push(JSON.stringify(request.headers));
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>Neighbour</title>');
  });
  await new Promise<void>((resolve) => neighbour.listen(0, '127.0.0.1', resolve));
  const { port } = neighbour.address() as AddressInfo;
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(host.url);
  await expect(page.getByRole('navigation').first()).toBeVisible();
  const secret = await page.evaluate(() => sessionStorage.getItem('parapet-session'));
  expect(secret).toMatch(/^[\w-]{43}$/);
  await page.goto(`http://127.0.0.1:${port}/`);
  expect(await page.evaluate(() => sessionStorage.length + document.cookie.length)).toBe(0);
  const token = new URL(host.url).hash.slice('#token='.length);
  expect(heard.length).toBeGreaterThan(0);
  for (const headers of heard) {
    expect(headers).not.toContain(secret);
    expect(headers).not.toContain(token);
    expect(headers).not.toContain('cookie');
  }
  await page.goBack();
  await expect(page.getByRole('navigation').first()).toBeVisible();
  await context.close();
  neighbour.close();
});

test('a page without the token shows no data and says what to do', async ({ host, browser }) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(new URL(host.url).origin);
  await expect(page.getByText('no session with Parapet')).toBeVisible();
  await context.close();
});

test('another site can neither frame the console nor open its WebSocket', async ({ host, browser }) => {
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

test('[promise] a frozen host is reported, and the window reconnects after a restart', async ({
  browser,
}) => {
  const profile = mkdtempSync(path.join(os.tmpdir(), 'parapet-restart-'));
  let host = await startHost({ profile });
  const context = await browser.newContext();
  const page = await context.newPage();
  const silent = page.getByText('Parapet does not answer').first();
  try {
    await page.goto(host.url);
    await expect(page.getByText(/^Connected/)).toBeVisible({ timeout: 40_000 });
    // State that only this page has: it must not be reloaded.
    await page.evaluate(() => document.body.setAttribute('data-unsaved', 'here'));
    await page.keyboard.press('Alt+n');
    const name = page.getByLabel('Query name');
    await name.fill('Not saved yet');
    await name.press('Enter');
    const tab = page.getByRole('tab', { name: /Not saved yet/ });
    await expect(tab).toBeVisible();

    host.process.kill('SIGSTOP');
    await expect(silent).toBeVisible({ timeout: 10_000 });
    await expect(page.getByText(/^Connected/)).toHaveCount(0);
    host.process.kill('SIGCONT');
    await expect(silent).toHaveCount(0);
    await expect(page.getByText(/^Connected/)).toBeVisible();

    const { origin } = new URL(host.url);
    await host.stop();
    await expect(page.getByRole('alertdialog', { name: 'Parapet has stopped' })).toBeVisible();
    host = await startHost({ profile });
    expect(new URL(host.url).origin).toBe(origin);
    const restarted = page.getByRole('alertdialog', { name: 'Parapet was restarted' });
    await expect(restarted).toContainText('Paste the address');
    await page.evaluate((url) => {
      location.href = url;
    }, host.url);
    await expect(restarted).toHaveCount(0);
    await expect(page.getByText(/^Connected/)).toBeVisible();
    expect(page.url()).not.toContain('token');
    await expect(page.locator('body')).toHaveAttribute('data-unsaved', 'here');
    // The demo tenant has a new id, as connections are not stored without a keychain.
    await expect(tab).toBeVisible();
    await expect(name).toHaveValue('Not saved yet');
    await page.getByRole('button', { name: 'Run Ctrl Enter' }).click();
    await page.locator('.pp-screen:not([hidden]) .ag-row:not(.pp-row-wait)').first().waitFor();
  } finally {
    host.process.kill('SIGCONT');
    await context.close();
    await host.stop();
    rmSync(profile, { recursive: true, force: true });
  }
});

test('the page asks before opening a file of the command line, and a second start hands over a link', async ({
  page,
}) => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'parapet-handed-'));
  writeFileSync(path.join(dir, 'a mail.eml'), 'Subject: one\r\n\r\nHello.\r\n');
  const host = await startHost({ connect: 'none', args: [path.join(dir, 'a mail.eml')] });
  try {
    await page.goto(host.url);
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('a mail.eml', { timeout: 30_000 });
    await page.keyboard.press('Escape');
    const again = await startHost({ profile: host.profile, args: ['parapet://guide'] }).catch(String);
    expect(again).toContain('already running');
    await expect(page.locator('.pp-screen:not([hidden])')).toHaveAttribute('data-screen', 'guide');
    await expect(dialog).toHaveCount(0);
  } finally {
    await host.stop();
    rmSync(dir, { recursive: true });
  }
});
