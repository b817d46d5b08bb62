/** What both hosts do around createApp. */
import { rmSync } from 'node:fs';
import path from 'node:path';
import { toBridgeError } from '#shared/bridge/errors.ts';
import type { App, createApp } from '../app.ts';
import type { Arrival } from '../host-ui/open-requests.ts';
import type { Ports } from '../kernel/ports.ts';
import { CannotStart } from './lifetime.ts';
import type { HostOptions } from './options.ts';
import { type Identity, identify, openProfile } from './profile.ts';

export type CreateApp = typeof createApp;

function usingProfile<T>(use: () => T): T {
  try {
    return use();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CannotStart(
      `Parapet cannot use its profile folder: ${reason}. Choose another one with --profile.`,
    );
  }
}

/** The path of the profile, or throws why it cannot be used. */
export const prepareProfile = ({ profile }: HostOptions): string => usingProfile(() => openProfile(profile));

/** Call with the profile's lock. */
export const identifyProfile = (profile: string): Identity => usingProfile(() => identify(profile));

/**
 * The profile's folder for transferred files. It is deleted at start and stop without asking, so its name must not be
 * one an analyst would choose.
 */
export const filesFolderOf = (profile: string) => path.join(profile, 'parapet-files');

/** Removes what a killed host left there, whichever host starts next. */
function removeLeftovers(profile: string): void {
  try {
    rmSync(filesFolderOf(profile), { recursive: true, force: true });
  } catch {
    // A read-only profile: this run does not write there either.
  }
}

/**
 * Creates the core in a profile that this process holds; a refusal, such as of a newer workspace, ends the start with
 * its reason.
 */
export async function startApp(create: CreateApp, ports: Ports): Promise<App> {
  removeLeftovers(ports.paths.profile);
  try {
    return await create(ports);
  } catch (error) {
    throw new CannotStart(toBridgeError(error).message);
  }
}

/**
 * Opens what `--connect` names, or on a fresh profile the policy's first connection, or the demo tenant; otherwise the
 * core resumes the last connection itself. A failure is reported, and Parapet keeps running.
 */
export async function connectAsAsked(
  app: App,
  options: HostOptions,
  { fresh }: Identity,
  { log, policy }: Pick<Ports, 'log' | 'policy'>,
  isStopping: () => boolean,
): Promise<void> {
  const [managed] = policy.connections;
  const first =
    managed === undefined ? { kind: 'demo' as const } : { kind: 'tenant' as const, url: managed.url };
  const target = options.connect ?? (fresh ? first : null);
  if (target === null) return;
  try {
    await app.connect(target);
  } catch (error) {
    if (isStopping()) return;
    const { code, message } = toBridgeError(error);
    log.warn('Cannot connect', { code, reason: message });
  }
}

/** Arrivals before the core is ready wait for it. */
export class EarlyArrivals {
  #waiting: Arrival[] = [];
  #app: App | null = null;

  readonly add = (arrivals: readonly Arrival[]): void => {
    if (this.#app === null) this.#waiting.push(...arrivals);
    else this.#app.arrived(arrivals);
  };

  handOver(app: App): void {
    this.#app = app;
    app.arrived(this.#waiting.splice(0));
  }
}
