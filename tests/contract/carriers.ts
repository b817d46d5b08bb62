/** The product's wires, each with a client that sees raw frames; the window's is in window-carrier.ts. */
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { BrowserDialogs } from '#main/host/browser/dialogs.ts';
import { createSessions, type Sessions } from '#main/host/browser/guard.ts';
import { Pages } from '#main/host/browser/pages.ts';
import { type BrowserServer, startServer } from '#main/host/browser/server.ts';
import { carryFrames } from '#main/host/electron/wire.ts';
import type { ClientFrame, ServerFrame, Wire } from '#shared/bridge/frames.ts';
import { openPage } from '../support/page.ts';

export type Attach = (wire: Wire) => () => void;

export interface RawClient {
  /** Sends anything: a frame, or something that must be refused. */
  send(message: unknown): void;
  received: ServerFrame[];
  /** The first matching frame, received already or later. */
  wait(fits: (frame: ServerFrame) => boolean): Promise<ServerFrame>;
  /** A wire for createBridge. */
  wire: Wire;
  close(): Promise<void>;
}

export interface Carrier {
  name: string;
  open(): Promise<RawClient>;
  stop(): Promise<void>;
}

/** A client that waits for frames, over any transport that sends and closes. */
export function createClient(send: (message: unknown) => void, close: () => Promise<void>) {
  const received: ServerFrame[] = [];
  const events = new EventEmitter().setMaxListeners(0);
  const client: RawClient = {
    send,
    received,
    async wait(fits) {
      for (;;) {
        const message = received.find(fits);
        if (message !== undefined) return message;
        await once(events, 'frame');
      }
    },
    wire: {
      send: (frame: ClientFrame | ServerFrame) => send(frame),
      onFrame: (handler) => events.on('frame', handler),
      onClose: (handler) => events.once('close', handler),
    },
    close,
  };
  return {
    client,
    deliver(frame: ServerFrame) {
      received.push(frame);
      events.emit('frame', frame);
    },
    closed: () => events.emit('close'),
  };
}

/** Electron's wire over a stand-in for its IPC, which copies messages as the real one does. */
export async function electronCarrier(attach: Attach): Promise<Carrier> {
  return {
    name: 'electron',
    async open() {
      const ipc = new EventEmitter();
      const mainFrame = { url: 'app://parapet/index.html' };
      const client = createClient(
        (message) =>
          setImmediate(() =>
            ipc.emit('frame', { sender: contents, senderFrame: mainFrame }, structuredClone(message)),
          ),
        async () => {
          contents.emit('did-navigate');
          client.closed();
        },
      );
      const contents = Object.assign(new EventEmitter(), {
        mainFrame,
        isDestroyed: () => false,
        send: (_channel: string, frame: ServerFrame) => {
          const copy = structuredClone(frame);
          setImmediate(() => client.deliver(copy));
        },
      });
      type Options = Parameters<typeof carryFrames>[0];
      carryFrames({
        ipc: ipc as unknown as Options['ipc'],
        contents: contents as unknown as Options['contents'],
        attach,
        dropped() {},
      });
      return client.client;
    },
    async stop() {},
  };
}

export interface BrowserCarrier extends Carrier {
  server: BrowserServer;
  token: string;
  dir: string;
  pages: Pages;
  dialogs: BrowserDialogs;
  sessions: Sessions;
}

/** The browser host's server, used as its own page would. */
export async function browserCarrier(attach: Attach): Promise<BrowserCarrier> {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'parapet-contract-'));
  writeFileSync(path.join(dir, 'index.html'), '<!doctype html><title>Parapet</title>');
  const sessions = createSessions();
  const { token } = sessions;
  const pages = new Pages(attach, sessions.admit);
  const dialogs = new BrowserDialogs(dir, pages);
  const server = await startServer({ rendererDir: dir, port: 0, token, dialogs, pages });
  return {
    name: 'browser',
    server,
    token,
    dir,
    pages,
    dialogs,
    sessions,
    async open() {
      const { socket } = await openPage(server.origin, token);
      const client = createClient(
        (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
        async () => {
          const closed = once(socket, 'close');
          socket.close();
          await closed;
        },
      );
      socket.on('message', (data) => client.deliver(JSON.parse(data.toString()) as ServerFrame));
      socket.on('close', client.closed);
      return client.client;
    },
    async stop() {
      await server.close();
      await dialogs.clear();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
