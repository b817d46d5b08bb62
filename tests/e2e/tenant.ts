/** The embedded service as a separate tenant that tests can change or stop without Parapet. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { UncaughtFile } from '../support/uncaught.ts';
import { expect } from './fixtures.ts';
import type { Host } from './host.ts';

const root = path.resolve(import.meta.dirname, '../..');

export interface Service {
  url: string;
  token: string;
  process: ChildProcess;
  /** Records uncaught errors of its threads; checked when it stops. */
  uncaught: UncaughtFile;
}

/** Starts the built service with this many emails, always the same ones. `args`: further options such as `--role`. */
export async function startService(emails: number, args: readonly string[] = []): Promise<Service> {
  const uncaught = new UncaughtFile();
  const child = spawn(
    process.execPath,
    [
      path.join(root, 'out/main/service.js'),
      '--emails',
      String(emails),
      '--seed',
      '3',
      '--port',
      '0',
      ...args,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...uncaught.env() } },
  );
  let output = '';
  const ready = Promise.withResolvers<{ url: string; token: string }>();
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    const url = /^Service ready: (\S+)$/m.exec(output)?.[1];
    const token = /^Token: (\S+)$/m.exec(output)?.[1];
    if (url !== undefined && token !== undefined) ready.resolve({ url, token });
  });
  child.once('exit', (code) => ready.reject(new Error(`The service ended with ${code}:\n${output}`)));
  return { ...(await ready.promise), process: child, uncaught };
}

export async function stopService({ process: child, uncaught }: Service): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }
  try {
    uncaught.check();
  } finally {
    uncaught.remove();
  }
}

/**
 * Opens this tenant in a window, which may be new: adds it to the connections of the host, with these feature flags,
 * unless it has one of this name.
 */
export async function openTenant(
  page: Page,
  host: Host,
  service: Service,
  name = 'Large tenant',
  flags: readonly string[] = [],
): Promise<void> {
  if (page.url() === 'about:blank') await page.goto(host.url);
  await page.locator('.pp-screen:not([hidden])').first().waitFor();
  const named = `Connection ${name} Tenant`;
  const switcher = page.getByRole('button', { name: /^(?:Connection |No connection)/ });
  if (((await switcher.getAttribute('aria-label')) ?? '').startsWith(named)) return;
  await switcher.click();
  const item = page.getByRole('menuitem', { name });
  const add = page.getByRole('menuitem', { name: 'Add a tenant…' });
  await add.waitFor();
  const connected = page.getByRole('button', { name: `${named}, connected` });
  if (await item.isVisible()) await item.click();
  else {
    await add.click();
    await fillTenant(page, name, service, flags);
    // The question of where to store credentials appears once per profile.
    const question = page.locator('.pp-dialog').getByText('This session only', { exact: true });
    await connected.or(question).first().waitFor();
    if (await question.isVisible()) {
      await question.click();
      await page.getByRole('button', { name: 'Use this' }).click();
    }
  }
  await connected.waitFor();
  // Wait for the dialog to go, as it blocks all keys, and for Home of the tenant, as its tabs are restored before it.
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.locator('.pp-screen:not([hidden]) [data-tile]').first().waitFor();
}

/** Adds the tenant from Home, up to the question of where to store credentials. */
export async function addTenant(page: Page, service: Service): Promise<void> {
  await page.getByRole('button', { name: 'Add a tenant' }).first().click();
  await fillTenant(page, 'Large tenant', service);
}

async function fillTenant(
  page: Page,
  name: string,
  service: Service,
  flags: readonly string[] = [],
): Promise<void> {
  // The dialog moves the focus while it opens, which can disturb fast input: check and repeat.
  await expect(async () => {
    for (const [label, value] of [
      ['Name', name],
      ['Service address', service.url],
      ['Credential', service.token],
    ] as const) {
      const field = page.getByLabel(label, { exact: true });
      await field.fill(value);
      await expect(field).toHaveValue(value, { timeout: 500 });
    }
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue(name, { timeout: 500 });
  }).toPass({ timeout: 60_000 });
  for (const flag of flags) await page.locator('.pp-flags label').filter({ hasText: flag }).click();
  await page.getByRole('button', { name: 'Add and open' }).click();
}

/** Sends a request directly to the service, like a colleague elsewhere. Returns the response body. */
async function elsewhere(service: Service, method: string, path: string, body?: object): Promise<unknown> {
  const answer = await fetch(`${service.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${service.token}`,
      'content-type': 'application/json',
      // A kept connection may be closed by the service just as it is used again.
      connection: 'close',
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  expect(answer.status).toBe(200);
  return answer.json();
}
const actElsewhere = (action: string) => async (service: Service, ids: readonly string[]) => {
  await elsewhere(service, 'POST', '/manual_actions', {
    entity_ids: ids,
    entity_type: 'email',
    data: { action, reason: 'a test' },
    date_trigger: null,
  });
};

/** Quarantines these emails directly at the service, like a colleague elsewhere. */
export const quarantineElsewhere = actElsewhere('quarantine');
export const restoreElsewhere = actElsewhere('restore');

/** Changes the saved query with this name directly at the service. Returns its id. */
export async function editElsewhere(service: Service, name: string, change: object): Promise<string> {
  const { queries } = (await elsewhere(service, 'GET', '/query')) as {
    queries: { id: string; name: string }[];
  };
  const query = queries.find((query) => query.name.startsWith(name));
  if (!query) throw new Error(`No query is called ${name}`);
  await elsewhere(service, 'PUT', `/query/${query.id}`, { ...query, ...change });
  return query.id;
}
export const readElsewhere = (service: Service, id: string): Promise<unknown> =>
  elsewhere(service, 'GET', `/query/${id}`);
