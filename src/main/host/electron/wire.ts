/** The wire of the window: frames over IPC, with the sender of each verified. */
import type { IpcMain, IpcMainEvent, WebContents } from 'electron';
import type { Wire } from '#shared/bridge/frames.ts';
import { isOwnUrl } from './protocol.ts';

interface Options {
  ipc: Pick<IpcMain, 'on' | 'off'>;
  contents: Pick<WebContents, 'send' | 'on' | 'mainFrame' | 'isDestroyed'>;
  attach(wire: Wire): () => void;
  /** A file or folder was dropped on the window. */
  dropped(path: string): void;
}

/** Accepts frames only from the top frame of this window while it shows the product's own origin. */
const isOurs = (event: IpcMainEvent, contents: Options['contents']) =>
  event.sender === contents &&
  event.senderFrame !== null &&
  event.senderFrame === contents.mainFrame &&
  isOwnUrl(event.senderFrame.url);

/** Attaches a wire to each document that the window loads, and closes it with the document. */
export function carryFrames({ ipc, contents, attach, dropped }: Options): () => void {
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

  const drop = (event: IpcMainEvent, path: unknown) => {
    if (isOurs(event, contents) && typeof path === 'string') dropped(path);
  };

  ipc.on('frame', receive);
  ipc.on('dropped', drop);
  // A committed navigation replaced the document, so its calls and streams have no receiver.
  contents.on('did-navigate', close);
  contents.on('render-process-gone', close);
  contents.on('destroyed', close);
  return () => {
    ipc.off('frame', receive);
    ipc.off('dropped', drop);
    // Only here does the page outlive its wire. In the other cases the message would reach the next document.
    if (current !== null && !contents.isDestroyed()) contents.send('closed');
    close();
  };
}
