/** Drives an installed Firefox over WebDriver BiDi: a page, key presses, and its errors. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect } from '@playwright/test';
import WebSocket from 'ws';

const NAMES = ['firefox-esr', 'firefox'];
const KEYS: Readonly<Record<string, string>> = {
  Alt: '\uE00A',
  Enter: '\uE007',
  Escape: '\uE00C',
  Control: '\uE009',
};

/** The command of the installed Firefox, or null. */
export function firefoxCommand(): string | null {
  for (const name of NAMES) {
    try {
      execFileSync(name, ['--version'], { stdio: 'ignore', timeout: 20_000 });
      return name;
    } catch {
      // not installed
    }
  }
  return null;
}

interface Reply {
  id?: number;
  method?: string;
  params?: { level?: string; text?: string | null };
  result?: unknown;
  error?: string;
  message?: string;
}

export class Firefox {
  /** Console errors, uncaught errors and content policy violations. */
  readonly complaints: string[] = [];
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  #context = '';
  #lastId = 0;

  private constructor(child: ChildProcess, folder: string, socket: WebSocket) {
    this.#child = child;
    this.#folder = folder;
    this.#socket = socket;
    socket.on('message', (data) => this.#receive(JSON.parse(String(data)) as Reply));
  }

  static async start(command: string): Promise<Firefox> {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'parapet-firefox-'));
    const child = spawn(
      command,
      [
        '--headless',
        '--no-remote',
        '--profile',
        folder,
        '--remote-debugging-port',
        '0',
        '--width',
        '1440',
        '--height',
        '900',
      ],
      { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, HOME: folder } },
    );
    let output = '';
    const address = await new Promise<string>((resolve, reject) => {
      child.stderr?.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        const address = /WebDriver BiDi listening on (ws:\S+)/.exec(output)?.[1];
        if (address !== undefined) resolve(address);
      });
      child.once('exit', () => reject(new Error(`Firefox ended:\n${output}`)));
    });
    const socket = new WebSocket(`${address}/session`, { perMessageDeflate: false });
    await once(socket, 'open');
    const firefox = new Firefox(child, folder, socket);
    await firefox.#send('session.new', { capabilities: {} });
    const { contexts } = (await firefox.#send('browsingContext.getTree', {})) as {
      contexts: { context: string }[];
    };
    firefox.#context = contexts[0]?.context ?? '';
    await firefox.#send('session.subscribe', { events: ['log.entryAdded'] });
    // Runs before any script of the page, so that no violation is missed.
    await firefox.#send('script.addPreloadScript', {
      functionDeclaration: `() => addEventListener('securitypolicyviolation', (event) =>
        console.error('content policy: ' + event.violatedDirective + ' ' + event.blockedURI))`,
    });
    return firefox;
  }

  #receive({ id, method, params, result, error, message }: Reply): void {
    if (method === 'log.entryAdded' && params?.level === 'error') this.complaints.push(params.text ?? '');
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (id !== undefined) this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new Error(`${error}: ${message}`));
  }

  #send(method: string, params: object): Promise<unknown> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }

  async open(url: string): Promise<void> {
    await this.#send('browsingContext.navigate', { context: this.#context, url, wait: 'complete' });
  }

  /** The value of an expression in the page: a string, number or boolean. */
  async value(expression: string): Promise<unknown> {
    const answer = (await this.#send('script.evaluate', {
      expression,
      target: { context: this.#context },
      awaitPromise: true,
    })) as { result?: { value?: unknown } };
    return answer.result?.value;
  }

  /** Waits until an expression is truthy in the page. */
  async until(expression: string): Promise<void> {
    await expect
      .poll(() => this.value(`Boolean(${expression})`), { timeout: 30_000, message: expression })
      .toBe(true);
  }

  /** Presses a chord such as `Alt+n`. */
  async press(keys: string): Promise<void> {
    const values = keys.split('+').map((key) => KEYS[key] ?? key);
    const actions = [
      ...values.map((value) => ({ type: 'keyDown', value })),
      ...values.toReversed().map((value) => ({ type: 'keyUp', value })),
    ];
    await this.#send('input.performActions', {
      context: this.#context,
      actions: [{ type: 'key', id: 'keyboard', actions }],
    });
  }

  async stop(): Promise<void> {
    this.#socket.close();
    if (this.#child.exitCode === null) {
      const ended = once(this.#child, 'exit');
      this.#child.kill('SIGTERM');
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
