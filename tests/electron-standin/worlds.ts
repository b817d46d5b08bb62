/** The scripts that run in the page: the preload in an isolated world, and the bridge from there to the main world. */
import { type Codec, createCodec } from './codec.ts';

type AnyFunction = (...values: unknown[]) => unknown;

/** Random names that a page cannot guess. */
export interface WorldNames {
  /** Name of the preload's world. */
  world: string;
  /** Prefix of the events between the worlds. */
  events: string;
  /** Function in the preload's world that sends to the main process. */
  toMain: string;
  /** Function in the preload's world that the main process calls. */
  fromMain: string;
}

/**
 * One end of the link between two worlds of a document. Calls are synchronous, as over Electron's context bridge.
 * Events carry text, so no object of one world is visible in the other.
 */
function connectWorlds(codec: Codec, mine: string, theirs: string) {
  const functions: AnyFunction[] = [];
  let answer = '';
  let onExpose: (key: string, api: unknown) => void = () => {};
  const idOf = (fn: () => unknown) => {
    const index = functions.indexOf(fn as AnyFunction);
    return index === -1 ? functions.push(fn as AnyFunction) - 1 : index;
  };
  const tell = (message: unknown) =>
    window.dispatchEvent(new CustomEvent(theirs, { detail: codec.encode(message, idOf) }));
  const proxies = new Map<number, AnyFunction>();
  const proxyOf = (id: number) => {
    const cached = proxies.get(id);
    if (cached !== undefined) return cached;
    const proxy: AnyFunction = (...values) => {
      tell({ call: id, values });
      const { error, result } = codec.decode(answer, proxyOf) as { error?: string; result?: unknown };
      if (error !== undefined) throw new Error(error);
      return result;
    };
    proxies.set(id, proxy);
    return proxy;
  };
  window.addEventListener(mine, (event) => {
    const text = (event as CustomEvent<string>).detail;
    const message = codec.decode(text, proxyOf) as {
      call?: number;
      values?: unknown[];
      expose?: string;
      api?: unknown;
      answers?: true;
    };
    if (message.answers) answer = text;
    else if (message.expose !== undefined) onExpose(message.expose, message.api);
    else
      try {
        tell({ answers: true, result: functions[message.call!]!(...message.values!) });
      } catch (error) {
        tell({ answers: true, error: error instanceof Error ? error.message : String(error) });
      }
  });
  return {
    expose: (key: string, api: unknown) => tell({ expose: key, api }),
    onExpose: (handler: typeof onExpose) => {
      onExpose = handler;
    },
  };
}

/** The main world's end: freezes and installs what the preload exposes. */
function pageWorld(link: ReturnType<typeof connectWorlds>): void {
  const freeze = (value: unknown): unknown => {
    if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
      Object.freeze(value);
      for (const inner of Object.values(value)) freeze(inner);
    }
    return value;
  };
  link.onExpose((key, api) => {
    Object.defineProperty(window, key, {
      value: freeze(api),
      enumerable: true,
      writable: false,
      configurable: false,
    });
  });
}

/** The preload's end: provides `electron` as in a sandboxed preload. */
function preloadWorld(
  codec: Codec,
  link: ReturnType<typeof connectWorlds>,
  names: { toMain: string; fromMain: string },
  preload: (require: (name: string) => unknown, module: object, exports: object) => void,
): void {
  const world = globalThis as unknown as Record<string, unknown>;
  const listeners = new Map<string, AnyFunction[]>();
  const listen = (channel: string, listener: AnyFunction) => {
    listeners.set(channel, [...(listeners.get(channel) ?? []), listener]);
    return ipcRenderer;
  };
  const ipcRenderer = {
    send: (channel: string, ...values: unknown[]) =>
      (world[names.toMain] as (text: string) => void)(codec.encode([channel, ...values])),
    on: listen,
    addListener: listen,
    off(channel: string, listener: AnyFunction) {
      listeners.set(
        channel,
        (listeners.get(channel) ?? []).filter((entry) => entry !== listener),
      );
      return ipcRenderer;
    },
  };
  world[names.fromMain] = (text: string) => {
    const [channel, ...values] = codec.decode(text) as [string, ...unknown[]];
    for (const listener of listeners.get(channel) ?? [])
      try {
        listener({ sender: ipcRenderer, ports: [] }, ...values);
      } catch (error) {
        reportError(error);
      }
  };
  const contextBridge = {
    exposeInMainWorld(key: string, api: unknown) {
      if (key in window)
        throw new Error('Cannot bind an API on top of an existing property on the window object');
      link.expose(key, api);
    },
  };
  // The result for a file created by a script; the stand-in has no files from disk.
  const webUtils = { getPathForFile: () => '' };
  const require = (name: string) => {
    if (name === 'electron') return { contextBridge, ipcRenderer, webUtils };
    throw new Error(`module not found: ${name}`);
  };
  const module = { exports: {} };
  preload(require, module, module.exports);
}

/** The two scripts of a new document. Only the top frame has a preload, as `nodeIntegrationInSubFrames` is off. */
export function scriptsOf(names: WorldNames, preload: string): { page: string; preload: string } {
  const [page, isolated] = [`${names.events}:page`, `${names.events}:preload`];
  const text = JSON.stringify;
  const begin = `if (self !== top) return; const codec = (${createCodec})();`;
  return {
    page: `(() => { ${begin} (${pageWorld})((${connectWorlds})(codec, ${text(page)}, ${text(isolated)})); })()`,
    preload: `(() => { ${begin} (${preloadWorld})(codec, (${connectWorlds})(codec, ${text(isolated)}, ${text(page)}), ${text(names)}, (require, module, exports) => {\n${preload}\n}); })()`,
  };
}
