/** What all of the stand-in's parts share: the browser once there is one, and how its addresses are told. */
import { Chromium } from './chromium.ts';
import { createCodec } from './codec.ts';

export const codec = createCodec();
export const DISPLAY = { x: 0, y: 0, width: 1920, height: 1080 };

/** Names of schemes that the product registered as standard; known before the browser starts, as in Electron. */
export const standardSchemes = new Set<string>();

/**
 * Chromium gives no origin to a scheme that it does not know, and no switch makes it know one. So `app://parapet` is
 * `https://parapet.app.invalid` inside of it, a name that is reserved and resolves to nothing, and nowhere else.
 */
export const inward = (url: string): string =>
  url.replace(
    /^(blob:)?([a-z]+):\/\/([^/?#:]+)(?=[/?#]|$)/,
    (whole, blob: string | undefined, scheme: string, host: string) =>
      standardSchemes.has(scheme) ? `${blob ?? ''}https://${host}.${scheme}.invalid` : whole,
  );
export const outward = (url: string): string =>
  url.replace(
    /^(blob:)?https:\/\/([^/?#:]+)\.([a-z]+)\.invalid(?=[/?#]|$)/,
    (whole, blob: string | undefined, host: string, scheme: string) =>
      standardSchemes.has(scheme) ? `${blob ?? ''}${scheme}://${host}` : whole,
  );

let running: Promise<Chromium> | null = null;
let ready: Chromium | null = null;

/** Starts the browser, once. */
export function startEngine(userData: string): Promise<Chromium> {
  running ??= Chromium.launch(userData, DISPLAY).then((chromium) => {
    ready = chromium;
    return chromium;
  });
  return running;
}

export const isReady = (): boolean => ready !== null;

/** The browser; throws as Electron does before it is ready. */
export function engine(what: string): Chromium {
  if (ready === null) throw new Error(`${what} cannot be used before app is ready`);
  return ready;
}

export async function closeEngine(): Promise<void> {
  await (await running?.catch(() => null))?.close();
  running = null;
  ready = null;
}

/** An event as Electron's, which a listener may prevent. */
export const preventable = <T extends object>(details: T) => {
  const event = {
    ...details,
    defaultPrevented: false,
    preventDefault() {
      event.defaultPrevented = true;
    },
  };
  return event;
};
