import type * as Electron from 'electron';
import { expect, test, vi } from 'vitest';

const electron = vi.hoisted(() => ({
  exposed: {} as Record<string, Record<string, (argument: unknown) => void>>,
  send: vi.fn(),
  handlers: {} as Record<string, (event: unknown, frame: unknown) => void>,
}));

vi.mock(
  'electron',
  () =>
    ({
      contextBridge: {
        exposeInMainWorld: (name: string, value: Record<string, (argument: unknown) => void>) => {
          electron.exposed[name] = value;
        },
      } as Electron.ContextBridge,
      ipcRenderer: {
        send: electron.send,
        on: (channel: string, handler: (event: unknown, frame: unknown) => void) => {
          electron.handlers[channel] = handler;
        },
      } as unknown as Electron.IpcRenderer,
      webUtils: { getPathForFile: ({ name }: File) => `/home/analyst/${name}` },
    }) satisfies Partial<typeof Electron>,
);

await import('./index.ts');

test('the page gets the wire and nothing else', () => {
  expect(Object.keys(electron.exposed)).toEqual(['parapetWire']);
  expect(Object.keys(electron.exposed['parapetWire']!)).toEqual(['send', 'onFrame', 'onClose', 'drop']);
});

test('the wire reaches one channel, and hands over frames without Electron’s event', () => {
  const wire = electron.exposed['parapetWire']!;
  wire['send']!({ type: 'cancel', id: 1 });
  expect(electron.send).toHaveBeenCalledExactlyOnceWith('frame', { type: 'cancel', id: 1 });
  const received = vi.fn();
  wire['onFrame']!(received);
  electron.handlers['frame']!({ sender: 'secret' }, { type: 'done', id: 1, output: null });
  expect(received.mock.calls).toEqual([[{ type: 'done', id: 1, output: null }]]);
});

test('a dropped file’s path goes to the main process, and not to the page', () => {
  electron.send.mockClear();
  expect(electron.exposed['parapetWire']!['drop']!(new File([], 'invoice.eml'))).toBeUndefined();
  expect(electron.send).toHaveBeenCalledExactlyOnceWith('dropped', '/home/analyst/invoice.eml');
});

test('the page is notified when the wire closes', () => {
  const closed = vi.fn();
  electron.exposed['parapetWire']!['onClose']!(closed);
  electron.handlers['closed']!({ sender: 'secret' }, undefined);
  expect(closed).toHaveBeenCalledExactlyOnceWith();
});
