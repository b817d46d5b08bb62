import { EventEmitter } from 'node:events';
import type { IpcMainEvent, WebFrameMain } from 'electron';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Wire } from '#shared/bridge/frames.ts';
import { carryFrames } from './wire.ts';

class FakeContents extends EventEmitter {
  sent: unknown[] = [];
  mainFrame = { url: 'app://parapet/index.html' } as WebFrameMain;
  send(...message: unknown[]) {
    this.sent.push(message);
  }
  isDestroyed() {
    return false;
  }
}

let ipc: EventEmitter;
let contents: FakeContents;
let wires: { wire: Wire; frames: unknown[]; closed: boolean; detached: boolean }[];
let drop: () => void;
let droppedPaths: string[];

beforeEach(() => {
  ipc = new EventEmitter();
  contents = new FakeContents();
  wires = [];
  droppedPaths = [];
  drop = carryFrames({
    ipc: ipc as unknown as Parameters<typeof carryFrames>[0]['ipc'],
    contents: contents as unknown as Parameters<typeof carryFrames>[0]['contents'],
    dropped: (path) => droppedPaths.push(path),
    attach: (wire) => {
      const entry = { wire, frames: [] as unknown[], closed: false, detached: false };
      wire.onFrame((frame) => entry.frames.push(frame));
      wire.onClose(() => {
        entry.closed = true;
      });
      wires.push(entry);
      return () => {
        entry.detached = true;
      };
    },
  });
});

const event = (over: object = {}) =>
  ({ sender: contents, senderFrame: contents.mainFrame, ...over }) as unknown as IpcMainEvent;
const call = { type: 'call', id: 1, operation: 'app.info', input: {} };

describe('the wire of the window', () => {
  test('carries frames of its own page in both directions', () => {
    ipc.emit('frame', event(), call);
    expect(wires[0]?.frames).toEqual([call]);
    wires[0]?.wire.send({ type: 'done', id: 1, output: {} });
    expect(contents.sent).toEqual([['frame', { type: 'done', id: 1, output: {} }]]);
  });

  test.each([
    ['a frame inside the page', { senderFrame: { url: 'app://parapet/index.html' } }],
    ['a mail body', { senderFrame: { url: 'about:srcdoc' } }],
    ['another window', { sender: new FakeContents() }],
    ['a document that no longer exists', { senderFrame: null }],
  ])('ignores %s', (_who, over) => {
    ipc.emit('frame', event(over), call);
    ipc.emit('dropped', event(over), '/home/analyst/invoice.eml');
    expect([wires, droppedPaths]).toEqual([[], []]);
  });

  test('accepts files dropped on its own page', () => {
    ipc.emit('dropped', event(), '/home/analyst/invoice.eml');
    ipc.emit('dropped', event(), { path: '/etc/passwd' });
    expect(droppedPaths).toEqual(['/home/analyst/invoice.eml']);
  });

  test.each(['https://evil.example/', 'app://parapet.evil.example/', 'app://other/', 'file:///index.html'])(
    'ignores its own top frame at %s',
    (url) => {
      contents.mainFrame = { url } as WebFrameMain;
      ipc.emit('frame', event(), call);
      expect(wires).toEqual([]);
    },
  );

  test.each(['did-navigate', 'render-process-gone', 'destroyed'])(
    '%s ends the calls of the document',
    (what) => {
      ipc.emit('frame', event(), call);
      contents.emit(what);
      expect(wires[0]).toMatchObject({ closed: true, detached: true });
      wires[0]?.wire.send({ type: 'done', id: 1, output: {} });
      // It is not notified when another wire ends either.
      expect(contents.sent).toEqual([]);
      ipc.emit('frame', event(), call);
      expect(wires).toHaveLength(2);
    },
  );

  test('after the stop it ignores frames, and has notified the page', () => {
    ipc.emit('frame', event(), call);
    drop();
    expect(wires[0]?.detached).toBe(true);
    expect(contents.sent).toEqual([['closed']]);
    ipc.emit('frame', event(), call);
    expect(wires).toHaveLength(1);
  });
});
