/** The wire of the window: frames over IPC, each one's sender checked. */
import type { IpcMain, IpcMainEvent, WebContents } from 'electron';
import type { Wire } from '#shared/bridge/frames.ts';
import { isOwnUrl } from './protocol.ts';

interface Options {
  ipc: Pick<IpcMain, 'on' | 'off'>;
  contents: Pick<WebContents, 'send' | 'on' | 'mainFrame' | 'isDestroyed'>;
  attach(wire: Wire): () => void;
}

/** Only the top frame of this window, showing the product's own origin, is heard. */
const isOurs = (event: IpcMainEvent, contents: Options['contents']) =>
  event.sender === contents &&
  event.senderFrame !== null &&
  event.senderFrame === contents.mainFrame &&
  isOwnUrl(event.senderFrame.url);

/** Attaches a wire for every document that the window loads, and closes it when the document goes. */
export function carryFrames({ ipc, contents, attach }: Options): () => void {
  let current: { receive(frame: unknown): void; close(): void } | null = null;

  const open = () => {
    const onFrames: ((frame: unknown) => void)[] = [];
    const onCloses: (() => void)[] = [];
    let closed = false;
    const detach = attach({
      send: (frame) => {
        if (!closed && !contents.isDestroyed()) contents.send('frame', frame);
      },
      onFrame: (handler) => onFrames.push(handler),
      onClose: (handler) => onCloses.push(handler),
    });
    return {
      receive: (frame: unknown) => {
        for (const handler of onFrames) handler(frame);
      },
      close() {
        closed = true;
        for (const handler of onCloses) handler();
        detach();
      },
    };
  };

  const close = () => {
    current?.close();
    current = null;
  };
  const receive = (event: IpcMainEvent, frame: unknown) => {
    if (!isOurs(event, contents)) return;
    current ??= open();
    current.receive(frame);
  };

  ipc.on('frame', receive);
  // A committed navigation replaced the document: its calls and streams have nobody left to answer to.
  contents.on('did-navigate', close);
  contents.on('render-process-gone', close);
  contents.on('destroyed', close);
  return () => {
    ipc.off('frame', receive);
    close();
  };
}
