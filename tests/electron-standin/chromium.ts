/** The browser of the stand-in, controlled over a pipe so that it always ends with this process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { CDPSession } from '@playwright/test';
import { chromiumLaunch, prepareChromium } from '../e2e/chromium.ts';

const CLOSE_WITHIN_MS = 5000;

/** A DevTools protocol session of one target, with Playwright's types. */
export class Target {
  readonly #events = new EventEmitter();
  readonly send: CDPSession['send'];
  readonly #gone = Promise.withResolvers<void>();
  /** Resolves when the target has gone. */
  readonly gone = this.#gone.promise;
  readonly end = this.#gone.resolve;

  constructor(call: (method: string, params: object | undefined) => Promise<unknown>) {
    this.send = ((method: string, params?: object) => call(method, params)) as CDPSession['send'];
  }

  readonly on = ((event: string, listener: (...payload: unknown[]) => void) => {
    this.#events.on(event, listener);
    return this;
  }) as unknown as CDPSession['on'];

  /** Sends a command and ignores its failure, for a target that may have gone. */
  readonly tell: CDPSession['send'] = ((method: never, params: never) =>
    this.send(method, params).catch(() => undefined)) as CDPSession['send'];

  emit(event: string, payload: unknown): void {
    this.#events.emit(event, payload);
  }
}

interface Message {
  id?: number;
  method?: string;
  params?: { sessionId?: string };
  sessionId?: string;
  result?: unknown;
  error?: { message: string };
}

export class Chromium {
  readonly browser: Target;
  /** The WebSocket URL at which Playwright connects to the same pages. */
  readonly endpoint: Promise<string>;
  readonly #process: ChildProcess;
  readonly #calls = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  readonly #targets = new Map<string, Target>();
  #lastId = 0;
  #closing = false;

  private constructor(process: ChildProcess) {
    this.#process = process;
    this.browser = this.#target(undefined);
    const endpoint = Promise.withResolvers<string>();
    this.endpoint = endpoint.promise;
    let output = '';
    process.stderr?.on('data', (chunk: Buffer) => {
      if (output.length > 100_000) return;
      output += chunk;
      const url = /^DevTools listening on (\S+)$/m.exec(output)?.[1];
      if (url !== undefined) endpoint.resolve(url);
    });
    // Writing to an exited browser fails; its pending calls are rejected below.
    process.stdio[3]!.on('error', () => {});
    let rest = '';
    (process.stdio[4] as Readable).setEncoding('utf8').on('data', (chunk: string) => {
      const messages = (rest + chunk).split('\0');
      rest = messages.pop() ?? '';
      for (const message of messages) this.#receive(JSON.parse(message) as Message);
    });
    process.once('exit', (code) => {
      endpoint.reject(new Error(`Chromium ended with ${code}:\n${output}`));
      endpoint.promise.catch(() => {});
      for (const { reject } of this.#calls.values()) reject(new Error('Chromium is gone'));
      this.#calls.clear();
      if (!this.#closing) globalThis.process.stderr.write(`Chromium ended with ${code}:\n${output}\n`);
    });
  }

  /** Starts the browser without DNS: every host name fails to resolve, and the stand-in answers all requests. */
  static async launch(userData: string, size: { width: number; height: number }): Promise<Chromium> {
    await prepareChromium();
    const { executablePath, args, env } = chromiumLaunch();
    const switches = [
      '--headless',
      '--remote-debugging-pipe',
      '--remote-debugging-port=0',
      `--user-data-dir=${userData}`,
      `--window-size=${size.width},${size.height}`,
      '--host-resolver-rules=MAP * ~NOTFOUND',
      '--disable-background-networking',
      '--disable-popup-blocking',
      '--no-first-run',
      '--lang=en-GB',
      '--hide-scrollbars',
    ];
    const child = spawn(executablePath, [...args, ...switches, 'about:blank'], {
      env: { ...env, TZ: 'UTC', NODE_OPTIONS: '' },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    });
    return new Chromium(child);
  }

  #target(sessionId: string | undefined): Target {
    return new Target((method, params) => {
      const id = ++this.#lastId;
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      this.#calls.set(id, { resolve, reject: (error) => reject(new Error(`${method}: ${error.message}`)) });
      (this.#process.stdio[3] as Writable).write(
        `${JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) })}\0`,
      );
      return promise;
    });
  }

  target(sessionId: string): Target {
    const target = this.#targets.get(sessionId) ?? this.#target(sessionId);
    this.#targets.set(sessionId, target);
    return target;
  }

  #receive(message: Message): void {
    if (message.id !== undefined) {
      const call = this.#calls.get(message.id);
      this.#calls.delete(message.id);
      if (message.error === undefined) call?.resolve(message.result);
      else call?.reject(new Error(message.error.message));
      return;
    }
    const target = message.sessionId === undefined ? this.browser : this.#targets.get(message.sessionId);
    if (message.method !== undefined) target?.emit(message.method, message.params);
    if (message.method === 'Target.detachedFromTarget') {
      const gone = message.params?.sessionId ?? '';
      this.#targets.get(gone)?.end();
      this.#targets.delete(gone);
    }
  }

  async close(): Promise<void> {
    if (this.#closing || this.#process.exitCode !== null) return;
    this.#closing = true;
    const ended = once(this.#process, 'exit');
    void this.browser.tell('Browser.close');
    const late = setTimeout(() => this.#process.kill('SIGKILL'), CLOSE_WITHIN_MS);
    await ended;
    clearTimeout(late);
  }
}
