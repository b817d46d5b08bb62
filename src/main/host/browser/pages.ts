/** The pages that are open on the browser host: each one's wire, and the messages beside its frames. */
import { randomBytes } from 'node:crypto';
import type { WebSocket } from 'ws';
import type { ClientFrame, ServerFrame, Wire } from '#shared/bridge/frames.ts';
import { type HostAnswer, type HostRequest, hostAnswer } from '#shared/bridge/host-channel.ts';

/** Emitters wait for acks, so only a page that stopped reading gets this far behind. */
const BACKLOG_MAX_BYTES = 64 * 1024 * 1024;
const TRY_AGAIN_LATER = 1013;
const UNSUPPORTED_DATA = 1003;

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;

export interface Question {
  /** Names the request in /upload, /choose and /download. */
  id: string;
  /** null: no page was open, or the page closed. */
  answer: Promise<HostAnswer['outcome'] | null>;
}

export interface Pages {
  /** Takes over a socket whose handshake passed the guard. */
  add(socket: WebSocket): void;
  /** Asks the page that the analyst used last. */
  ask(request: WithoutId<HostRequest>): Question;
  /** Ends a question that an HTTP request answered. */
  settle(id: string, outcome: HostAnswer['outcome']): void;
  closeAll(): void;
}

export function createPages(attach: (wire: Wire) => () => void): Pages {
  const sockets = new Set<WebSocket>();
  const questions = new Map<
    string,
    { socket: WebSocket; resolve(outcome: HostAnswer['outcome'] | null): void }
  >();
  let current: WebSocket | null = null;

  const send = (socket: WebSocket, message: ClientFrame | ServerFrame | HostRequest) => {
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > BACKLOG_MAX_BYTES) socket.close(TRY_AGAIN_LATER, 'The page does not keep up');
    else socket.send(JSON.stringify(message));
  };

  const settle: Pages['settle'] = (id, outcome) => {
    questions.get(id)?.resolve(outcome);
    questions.delete(id);
  };

  const parse = (socket: WebSocket, data: WebSocket.RawData, binary: boolean): unknown => {
    try {
      if (binary) throw new TypeError('frames are text');
      return JSON.parse(data.toString());
    } catch {
      socket.close(UNSUPPORTED_DATA, 'Not a frame');
      return undefined;
    }
  };

  return {
    add(socket) {
      sockets.add(socket);
      current = socket;
      const onFrames: ((frame: unknown) => void)[] = [];
      const onCloses: (() => void)[] = [];
      const detach = attach({
        send: (frame) => send(socket, frame),
        onFrame: (handler) => onFrames.push(handler),
        onClose: (handler) => onCloses.push(handler),
      });
      socket.on('message', (data, binary) => {
        const message = parse(socket, data, binary);
        if (message === undefined) return;
        current = socket;
        const answer = hostAnswer.safeParse(message);
        if (answer.success) {
          if (questions.get(answer.data.id)?.socket === socket) settle(answer.data.id, answer.data.outcome);
        } else for (const handler of onFrames) handler(message);
      });
      socket.on('error', () => socket.terminate());
      socket.on('close', () => {
        sockets.delete(socket);
        if (current === socket) current = [...sockets].at(-1) ?? null;
        for (const [id, question] of questions) {
          if (question.socket !== socket) continue;
          questions.delete(id);
          question.resolve(null);
        }
        for (const handler of onCloses) handler();
        detach();
      });
    },
    ask(request) {
      const id = randomBytes(18).toString('base64url');
      const socket = current;
      if (socket === null) return { id, answer: Promise.resolve(null) };
      const { promise, resolve } = Promise.withResolvers<HostAnswer['outcome'] | null>();
      questions.set(id, { socket, resolve });
      send(socket, { ...request, id } as HostRequest);
      return { id, answer: promise };
    },
    settle,
    closeAll() {
      for (const socket of sockets) socket.close(1001, 'Parapet has stopped');
    },
  };
}
