/** The wire between page and main process, and nothing else. */
import { contextBridge, ipcRenderer, webUtils } from 'electron';

type Handler = (frame: unknown) => void;

contextBridge.exposeInMainWorld('parapetWire', {
  send: (frame: unknown) => ipcRenderer.send('frame', frame),
  onFrame: (handler: Handler) => {
    ipcRenderer.on('frame', (_event, frame: unknown) => handler(frame));
  },
  onClose: (handler: () => void) => {
    ipcRenderer.on('closed', () => handler());
  },
  /** Sends a dropped file's path to the main process, never to the page. A file created by the page has no path. */
  drop: (file: File) => ipcRenderer.send('dropped', webUtils.getPathForFile(file)),
});
