/** The pages connected to the browser host: the wire of each, and the messages beside its frames. */
import { randomBytes } from 'node:crypto';
import type { WebSocket } from 'ws';
import { type ClientFrame, clientFrame, type ServerFrame, type Wire } from '#shared/bridge/frames.ts';
import {
  type HostAnswer,
  type HostRequest,
  type HostWelcome,
  hostAnswer,
  NOT_ADMITTED,
  pageHello,
} from '#shared/bridge/host-channel.ts';

/** Streams wait for acks, so only a page that stopped reading falls this far behind. */
export const BACKLOG_MAX_BYTES = 64 * 1024 * 1024;
/** A page authenticates as soon as its socket is open. */
const HELLO_WITHIN_MS = 5000;
/** A peer that does not complete the closing handshake is cut off. */
const CLOSE_WITHIN_MS = 2000;
/**
 * Limit of values (lists, members and their names) in one frame. The console's largest frames name 100,000 entities; a
 * frame made of brackets would take thirty times its size in memory.
 */
export const FRAME_MAX_VALUES = 1_000_000;
const UNSUPPORTED_DATA = 1003;
const TOO_LARGE = 1009;
const TRY_AGAIN_LATER = 1013;

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;

interface Question {
  /** Identifies the request in /upload, /choose and /download. */
  id: string;
  /** Null if no page was connected, or it disconnected. */
  answer: Promise<HostAnswer['outcome'] | null>;
}

const cutOffSoon = (socket: WebSocket) => {
  const timer = setTimeout(() => socket.terminate(), CLOSE_WITHIN_MS).unref();
  socket.once('close', () => clearTimeout(timer));
};

const shut = (socket: WebSocket, code: number, why: string) => {
  socket.close(code, why);
  cutOffSoon(socket);
};

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** The JSON punctuation that precedes a value: , : [ { */
const BEFORE_VALUE = new Set([0x2c, 0x3a, 0x5b, 0x7b]);

/** Whether JSON text holds more than `most` values. Scans the bytes without parsing them. */
export function holdsMoreValues(json: Uint8Array, most: number): boolean {
  // Every value takes at least one such character.
  if (json.length <= most) return false;
  let values = 0;
  let inText = false;
  for (let index = 0; index < json.length; index++) {
    const byte = json[index]!;
    if (byte === QUOTE) inText = !inText;
    else if (inText) index += byte === BACKSLASH ? 1 : 0;
    else if (BEFORE_VALUE.has(byte) && ++values > most) return true;
  }
  return false;
}

/** Pings come from every open window, whether it is in use or not. */
const isPing = (message: unknown): boolean => {
  const frame = clientFrame.safeParse(message);
  return frame.success && frame.data.type === 'call' && frame.data.operation === 'app.ping';
};

export class Pages {
  readonly #attach: (wire: Wire) => () => void;
  readonly #admit: (secret: string) => string | null;
  readonly #sockets = new Set<WebSocket>();
  readonly #questions = new Map<
    string,
    { socket: WebSocket; resolve(outcome: HostAnswer['outcome'] | null): void }
  >();
  #current: WebSocket | null = null;
  #next = Promise.withResolvers<void>();

  /** `admit` returns the secret with which the page authenticates from now on, or null if refused. */
  constructor(attach: (wire: Wire) => () => void, admit: (secret: string) => string | null) {
    this.#attach = attach;
    this.#admit = admit;
  }

  /** Takes a socket whose handshake passed the guard. `admitted` is called once its page has authenticated. */
  add(socket: WebSocket, admitted: () => void): void {
    socket.on('error', () => {
      // The library reports a refused frame to the peer with a close code. On Windows the code is lost if the connection
      // is reset while the peer still sends, and the page would assume that the host has gone.
      if (socket.readyState === socket.CLOSING) cutOffSoon(socket);
      else socket.terminate();
    });
    const late = setTimeout(() => shut(socket, NOT_ADMITTED, 'No hello'), HELLO_WITHIN_MS).unref();
    socket.once('close', () => clearTimeout(late));
    socket.once('message', (data, binary) => {
      clearTimeout(late);
      const message = this.#parse(socket, data, binary);
      if (message === undefined) return;
      const hello = pageHello.safeParse(message);
      const secret = hello.success ? this.#admit(hello.data.secret) : null;
      if (secret === null) return shut(socket, NOT_ADMITTED, 'No session');
      admitted();
      this.#open(socket, secret);
    });
  }

  /** Asks the page that the analyst used last. */
  ask(request: WithoutId<HostRequest>): Question {
    const id = randomBytes(18).toString('base64url');
    const socket = this.#current;
    if (socket === null) return { id, answer: Promise.resolve(null) };
    const { promise, resolve } = Promise.withResolvers<HostAnswer['outcome'] | null>();
    this.#questions.set(id, { socket, resolve });
    this.#send(socket, { ...request, id } as HostRequest);
    return { id, answer: promise };
  }

  /** Resolves a question that was answered by an HTTP request. */
  settle(id: string, outcome: HostAnswer['outcome']): void {
    this.#questions.get(id)?.resolve(outcome);
    this.#questions.delete(id);
  }

  /** Resolves once a page is connected; with `another`, a page that is not connected yet. */
  async page(another: boolean): Promise<void> {
    if (another || this.#current === null) await this.#next.promise;
  }

  closeAll(): void {
    for (const socket of this.#sockets) socket.close(1001, 'Parapet has stopped');
  }

  #send(socket: WebSocket, message: ClientFrame | ServerFrame | HostRequest | HostWelcome) {
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > BACKLOG_MAX_BYTES) shut(socket, TRY_AGAIN_LATER, 'The page does not keep up');
    else socket.send(JSON.stringify(message));
  }

  #parse(socket: WebSocket, data: WebSocket.RawData, binary: boolean): unknown {
    // Frames that follow the one for which the socket is being closed are ignored.
    if (socket.readyState !== socket.OPEN) return undefined;
    try {
      if (binary) throw new TypeError('frames are text');
      if (data instanceof Buffer && holdsMoreValues(data, FRAME_MAX_VALUES)) {
        shut(socket, TOO_LARGE, 'Too many values');
        return undefined;
      }
      return JSON.parse(data.toString());
    } catch {
      shut(socket, UNSUPPORTED_DATA, 'Not a frame');
      return undefined;
    }
  }

  #open(socket: WebSocket, secret: string) {
    this.#sockets.add(socket);
    this.#current = socket;
    this.#send(socket, { host: 'welcome', secret });
    const onFrames: ((frame: unknown) => void)[] = [];
    const onCloses: (() => void)[] = [];
    const detach = this.#attach({
      send: (frame) => this.#send(socket, frame),
      onFrame: (handler) => onFrames.push(handler),
      onClose: (handler) => onCloses.push(handler),
    });
    socket.on('message', (data, binary) => {
      const message = this.#parse(socket, data, binary);
      if (message === undefined) return;
      if (!isPing(message)) this.#current = socket;
      const answer = hostAnswer.safeParse(message);
      if (answer.success) {
        if (this.#questions.get(answer.data.id)?.socket === socket)
          this.settle(answer.data.id, answer.data.outcome);
      } else for (const handler of onFrames) handler(message);
    });
    socket.on('close', () => {
      this.#sockets.delete(socket);
      if (this.#current === socket) this.#current = [...this.#sockets].at(-1) ?? null;
      for (const [id, question] of this.#questions) {
        if (question.socket !== socket) continue;
        this.#questions.delete(id);
        question.resolve(null);
      }
      for (const handler of onCloses) handler();
      detach();
    });
    this.#next.resolve();
    this.#next = Promise.withResolvers<void>();
  }
}
