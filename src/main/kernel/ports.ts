/** What a host supplies to the core. The core knows nothing of Electron, windows or sockets. */
import type { AppInfo, InputOf } from '#shared/bridge/operations.ts';

/** A file or folder the analyst chose. Paths live here and never cross the bridge. */
export interface ChosenPath {
  path: string;
  /** For display: the last part of the path, or the name of the uploaded file. */
  name: string;
  /**
   * Called once the file has its final name and bytes; a browser host starts the download here, and those of the
   * files named in `beside`, which lie in the same folder. `as`: the name that the file has instead of its own.
   */
  finished?: (beside?: readonly string[], as?: string) => void;
  /** Called once what was chosen has been read: a browser host removes the copy that a page handed over. */
  release?: () => Promise<void>;
}

export type SaveKind = InputOf<'dialogs.save'>['kind'];

export interface Dialogs {
  save(options: { suggestedName: string; kind: SaveKind }): Promise<ChosenPath | null>;
  open(options: InputOf<'dialogs.open'>): Promise<ChosenPath | null>;
}

/** The OS keychain. Every method rejects with ParapetError `secrets-unavailable` or `secrets-locked`. */
export interface Keychain {
  get(account: string): Promise<string | null>;
  set(account: string, secret: string): Promise<void>;
  remove(account: string): Promise<void>;
}

interface Shell {
  writeClipboard(text: string): Promise<void>;
  control(action: 'minimise' | 'maximise' | 'close'): void;
}

/** Entry points of worker threads, as the host's build places them. */
interface WorkerEntries {
  store: URL;
  embedded: URL;
  /** Writes exported files. */
  exports: URL;
  /** Parses what would hold the main thread up. */
  parsing: URL;
}

export interface Logger {
  info(message: string, data?: Record<string, unknown>): void;
  warn(message: string, data?: Record<string, unknown>): void;
}

export interface Ports {
  host: AppInfo['host'];
  version: string;
  /** Absolute paths. profile: databases and settings of this analyst; resources: read-only files of the product. */
  paths: { profile: string; resources: string };
  workers: WorkerEntries;
  dialogs: Dialogs;
  keychain: Keychain;
  shell: Shell;
  /** Milliseconds since the epoch: for what is shown and stored. It may be set back or forward at any time. */
  now(): number;
  /** Milliseconds of a clock that nobody can set, from any beginning: for waits, orders and ages within a run. */
  ticks(): number;
  log: Logger;
}
