/** What both hosts do around createApp. */
import { toBridgeError } from '#shared/bridge/errors.ts';
import type { App, createApp } from '../core/app.ts';
import type { Ports } from '../core/ports.ts';
import { CannotStart } from './lifetime.ts';
import type { HostOptions } from './options.ts';
import { openProfile, type Profile } from './profile.ts';

export type CreateApp = typeof createApp;

/** Opens the profile, or says why not. */
export function prepareProfile(options: HostOptions): Profile {
  try {
    return openProfile(options.profile);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CannotStart(
      `Parapet cannot use its profile folder: ${reason}. Choose another one with --profile.`,
    );
  }
}

/** Creates the core; what it refuses, a newer workspace among it, ends the start with its reason. */
export async function startApp(create: CreateApp, ports: Ports): Promise<App> {
  try {
    return await create(ports);
  } catch (error) {
    throw new CannotStart(toBridgeError(error).message);
  }
}

/**
 * Opens what `--connect` asks for; the demo tenant on a fresh profile; otherwise the connection of last time, which
 * the core opens by itself. A failure is told, and Parapet stays up.
 */
export async function connectAsAsked(
  app: App,
  options: HostOptions,
  profile: Profile,
  log: Ports['log'],
  isStopping: () => boolean,
): Promise<void> {
  const target = options.connect ?? (profile.fresh ? { kind: 'demo' as const } : null);
  if (target === null) return;
  try {
    await app.connect(target);
  } catch (error) {
    if (isStopping()) return;
    log.warn(`Cannot connect: ${toBridgeError(error).message}`);
  }
}
