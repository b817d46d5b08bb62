/** WebKit over WebDriver, where Debian's webkit2gtk-driver and a display are: a page, its keys and its pointer. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { expect } from '@playwright/test';

const DRIVER = '/usr/bin/WebKitWebDriver';
const XVFB = '/usr/bin/Xvfb';
const KEYS: Readonly<Record<string, string>> = {
  Alt: '\uE00A',
  Control: '\uE009',
  Enter: '\uE007',
  Escape: '\uE00C',
};

/** Why it cannot be tried here; null: it can. */
export function noWebKit(): string | null {
  if (!existsSync(DRIVER)) return 'webkit2gtk-driver is not installed';
  return process.env['DISPLAY'] || existsSync(XVFB) ? null : 'there is neither a display nor Xvfb';
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return address !== null && typeof address === 'object' ? address.port : 0;
}

/** A display of its own, by the number that Xvfb chose. */
async function startDisplay(): Promise<[ChildProcess, string]> {
  const child = spawn(XVFB, ['-displayfd', '1', '-screen', '0', '1440x960x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [number] = (await once(child.stdout, 'data')) as [Buffer];
  return [child, `:${number.toString().trim()}`];
}

export class WebKit {
  readonly #children: ChildProcess[];
  readonly #folder: string;
  readonly #base: string;
  #session = '';

  private constructor(children: ChildProcess[], folder: string, port: number) {
    this.#children = children;
    this.#folder = folder;
    this.#base = `http://127.0.0.1:${port}`;
  }

  static async start(): Promise<WebKit> {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'parapet-webkit-'));
    const userDisplay = process.env['DISPLAY'];
    const [screen, display] = userDisplay ? [null, userDisplay] : await startDisplay();
    const port = await freePort();
    const driver = spawn(DRIVER, [`--port=${port}`], {
      stdio: 'ignore',
      // Where it puts what it downloads.
      env: { ...process.env, DISPLAY: display, HOME: folder, XDG_DOWNLOAD_DIR: folder },
    });
    const webkit = new WebKit(screen === null ? [driver] : [driver, screen], folder, port);
    await expect(async () => void (await fetch(`${webkit.#base}/status`))).toPass({ timeout: 30_000 });
    const { sessionId } = (await webkit.#ask('POST', '/session', { capabilities: {} })) as {
      sessionId: string;
    };
    webkit.#session = `/session/${sessionId}`;
    await webkit.#ask('POST', `${webkit.#session}/window/rect`, { x: 0, y: 0, width: 1440, height: 960 });
    return webkit;
  }

  async #ask(method: string, where: string, body?: object): Promise<unknown> {
    const answer = await fetch(this.#base + where, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const { value } = (await answer.json()) as { value: unknown };
    if (!answer.ok) throw new Error(JSON.stringify(value));
    return value;
  }

  async open(url: string): Promise<void> {
    await this.#ask('POST', `${this.#session}/url`, { url });
  }

  /** The value of an expression in the page. */
  value(expression: string): Promise<unknown> {
    return this.#ask('POST', `${this.#session}/execute/sync`, { script: `return (${expression})`, args: [] });
  }

  /** Waits until an expression is true in the page. */
  async until(expression: string): Promise<void> {
    await expect
      .poll(() => this.value(`Boolean(${expression})`), { timeout: 30_000, message: expression })
      .toBe(true);
  }

  /** Keys held together, such as `Alt+n`. */
  async press(keys: string): Promise<void> {
    const values = keys.split('+').map((key) => KEYS[key] ?? key);
    const actions = [
      ...values.map((value) => ({ type: 'keyDown', value })),
      ...values.toReversed().map((value) => ({ type: 'keyUp', value })),
    ];
    await this.#ask('POST', `${this.#session}/actions`, { actions: [{ type: 'key', id: 'keys', actions }] });
  }

  /** Presses the middle of the element that the expression names, once it is there and has stopped moving. */
  async click(expression: string): Promise<void> {
    await this.until(expression);
    let place = '';
    await expect
      .poll(async () => {
        const before = place;
        place = String(
          await this.value(
            `((box) => JSON.stringify([Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)]))(${expression}.getBoundingClientRect())`,
          ),
        );
        return place === before;
      })
      .toBe(true);
    const [x, y] = JSON.parse(place) as [number, number];
    const actions = [
      { type: 'pointerMove', x, y, duration: 0 },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ];
    await this.#ask('POST', `${this.#session}/actions`, {
      actions: [{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions }],
    });
  }

  /** Names of the files that it has downloaded. */
  downloaded(): string[] {
    return readdirSync(this.#folder).filter((name) => !name.startsWith('.'));
  }

  async stop(): Promise<void> {
    if (this.#session !== '') await this.#ask('DELETE', this.#session).catch(() => undefined);
    for (const child of this.#children) {
      if (child.exitCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
