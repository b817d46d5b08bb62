/** `session.defaultSession` and `protocol`: requests, permissions and downloads. */
import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { CustomScheme, Session, WebContents } from 'electron';
import type { Chromium } from './chromium.ts';
import { inward, isReady, outward, preventable, standardSchemes } from './engine.ts';

type Handler = (request: Request) => Response | Promise<Response>;
export type BeforeRequest = NonNullable<Parameters<Session['webRequest']['onBeforeRequest']>[0]>;
type RequestHandler = NonNullable<Parameters<Session['setPermissionRequestHandler']>[0]>;
type CheckHandler = NonNullable<Parameters<Session['setPermissionCheckHandler']>[0]>;

/** A request or navigation of a page and its outcome; `nobody`: no handler for its scheme. */
interface Asked {
  url: string;
  outcome: 'answered' | 'cancelled' | 'prevented' | 'nobody';
}

/** Electron's permissions and the browser's names for them. */
const PERMISSIONS = {
  geolocation: ['geolocation'],
  notifications: ['notifications'],
  media: ['camera', 'microphone'],
  'clipboard-read': ['clipboard-read'],
  'clipboard-sanitized-write': ['clipboard-write'],
  midi: ['midi'],
  'idle-detection': ['idle-detection'],
  'storage-access': ['storage-access'],
} as const;

const handlers = new Map<string, Handler>();

export const protocol = {
  registerSchemesAsPrivileged(schemes: CustomScheme[]) {
    if (isReady())
      throw new Error('protocol.registerSchemesAsPrivileged should be called before app is ready');
    for (const { scheme, privileges } of schemes) if (privileges?.standard) standardSchemes.add(scheme);
  },
  handle(scheme: string, handler: Handler) {
    if (handlers.has(scheme)) throw new Error(`The scheme has been intercepted: ${scheme}`);
    handlers.set(scheme, handler);
  },
  unhandle(scheme: string) {
    handlers.delete(scheme);
  },
};

class StandInSession extends EventEmitter {
  readonly asked: Asked[] = [];
  readonly downloads: { url: string; prevented: boolean }[] = [];
  #beforeRequest: BeforeRequest | null = null;
  #request: RequestHandler | null = null;
  #check: CheckHandler | null = null;
  #files: string | null = null;

  /** Returns a PAC string, as Chromium does. */
  async resolveProxy(_url: string): Promise<string> {
    return 'DIRECT';
  }

  readonly webRequest = {
    onBeforeRequest: (handler: BeforeRequest | null) => {
      this.#beforeRequest = handler;
    },
  };

  setPermissionRequestHandler(handler: RequestHandler | null): void {
    this.#request = handler;
  }

  setPermissionCheckHandler(handler: CheckHandler | null): void {
    this.#check = handler;
  }

  setDevicePermissionHandler(): void {
    // The headless browser has no devices; lockdown.test.ts calls the handler directly.
  }

  setSpellCheckerEnabled(): void {}

  /** Calls the product's handlers once per permission and applies their decisions to this origin in the browser. */
  async settlePermissions(chromium: Chromium, contents: WebContents, url: string): Promise<void> {
    const { origin } = new URL(inward(url));
    for (const [permission, names] of Object.entries(PERMISSIONS)) {
      const type = permission as Parameters<RequestHandler>[1] & Parameters<CheckHandler>[1];
      const checked = this.#check?.(contents, type, outward(origin), {} as never) ?? true;
      const requested = await new Promise<boolean>((resolve) =>
        this.#request === null ? resolve(true) : this.#request(contents, type, resolve, {} as never),
      );
      for (const name of names)
        await chromium.browser.send('Browser.setPermission', {
          permission: { name },
          setting: checked && requested ? 'granted' : 'denied',
          origin,
        });
    }
  }

  /** Saves downloads to a temporary folder, and cancels those that a listener prevents. */
  async watchDownloads(chromium: Chromium, contentsOf: (frame: string) => WebContents | null): Promise<void> {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'electron-standin-'));
    this.#files = folder;
    chromium.browser.on('Browser.downloadWillBegin', ({ frameId, guid, url, suggestedFilename }) => {
      const event = preventable({});
      this.emit(
        'will-download',
        event,
        { getURL: () => outward(url), getFilename: () => suggestedFilename },
        contentsOf(frameId),
      );
      this.downloads.push({ url: outward(url), prevented: event.defaultPrevented });
      if (event.defaultPrevented) void chromium.browser.tell('Browser.cancelDownload', { guid });
    });
    await chromium.browser.send('Browser.setDownloadBehavior', {
      behavior: 'allowAndName',
      downloadPath: folder,
      eventsEnabled: true,
    });
  }

  end(): void {
    if (this.#files !== null) rmSync(this.#files, { recursive: true, force: true });
  }

  /** The response to a page's request, or null if it is cancelled or its scheme has no handler. */
  async answer(request: Request, resourceType: string): Promise<Response | null> {
    const url = request.url;
    const cancelled = await new Promise<boolean>((resolve) => {
      if (this.#beforeRequest === null) return resolve(false);
      const details = {
        id: 0,
        url,
        method: request.method,
        resourceType,
        timestamp: Date.now(),
        referrer: '',
        uploadData: [],
      };
      this.#beforeRequest(details as unknown as Parameters<BeforeRequest>[0], ({ cancel }) =>
        resolve(cancel === true),
      );
    });
    const handler = cancelled ? undefined : handlers.get(new URL(url).protocol.slice(0, -1));
    this.asked.push({
      url,
      outcome: cancelled ? 'cancelled' : handler === undefined ? 'nobody' : 'answered',
    });
    return handler === undefined ? null : handler(request);
  }
}

export type { StandInSession };
export const defaultSession = new StandInSession();
const partitions = new Map<string, StandInSession>();
export const session = {
  defaultSession,
  fromPartition(name: string): StandInSession {
    const session = partitions.get(name) ?? new StandInSession();
    partitions.set(name, session);
    return session;
  },
};
