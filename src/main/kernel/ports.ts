/** What a host supplies to the core. The core knows nothing of Electron, windows or sockets. */
import type { AppInfo, InputOf, OutputOf } from '#shared/bridge/operations.ts';
import type { UpdateKind } from '#shared/model/update.ts';
import type { Policy } from './policy.ts';

/** A file or folder that the analyst chose. Paths never cross the bridge. */
export interface ChosenPath {
  path: string;
  /** For display: the last part of the path, or the name of the uploaded file. */
  name: string;
  /**
   * Called once the file is complete under its final name: a browser host then starts the download, also of the files
   * in `beside`, which lie in the same folder. `as` is a name to show instead of the file's own.
   */
  finished?: (beside?: readonly string[], as?: string) => void;
  /** Called once the file has been read: a browser host removes the copy that a page uploaded. */
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

/** Worker entry points, at the paths of the host's build. */
interface WorkerEntries {
  store: URL;
  embedded: URL;
  /** Writes exported files. */
  exports: URL;
  /** Parses what would block the main thread. */
  parsing: URL;
}

/** How packages of this kind are updated. */
export interface UpdatePort {
  /** Address of the feed's folder. */
  feed: string;
  /** Its public Ed25519 key, in PEM form. */
  key: string;
  /** Null if this package is replaced by a package manager or an administrator. */
  kind: UpdateKind | null;
  arch: string;
  /** Hands a verified package to the system, and requests the stop if that needs one. */
  install(file: string): Promise<void>;
}

/** A proxy that leads to a server. */
export interface HttpProxy {
  /** `http` and `https` tunnel by CONNECT; `unsupported` is another kind, or not an address at all. */
  kind: 'http' | 'https' | 'unsupported';
  /** Display name: host and port, never a credential. */
  name: string;
  host: string;
  port: number;
  /** The environment variable that names the proxy, such as `HTTPS_PROXY`, or null for the system's settings. */
  variable: string | null;
  /** The value of Proxy-Authorization, a secret, or null if none is sent. */
  authorization: string | null;
}

/** Routes to a server, tried in this order; null is a direct connection. */
export type Routes = readonly (HttpProxy | null)[];

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
  /** Epoch milliseconds, for what is shown and stored. May be set back or forward at any time. */
  now(): number;
  /** Monotonic milliseconds from an arbitrary start, for waits, orders and ages within a run. */
  ticks(): number;
  log: Logger;
  /** The routes to an address. If omitted, connections are direct. */
  routes?(url: URL): Promise<Routes>;
  /** Chromium's own picture of a sanitised document. Left out: this host has no Chromium. */
  capture?(page: InputOf<'window.capture'>): Promise<NonNullable<OutputOf<'window.capture'>>>;
  /** Left out: this Parapet does not update itself. */
  updates?: UpdatePort;
  /** Read once, at the start. */
  policy: Policy;
}
