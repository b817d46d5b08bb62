/** What both hosts do around createApp. */
import { rmSync } from 'node:fs';
import path from 'node:path';
import { toBridgeError } from '#shared/bridge/errors.ts';
import type { App, createApp } from '../app.ts';
import type { Ports } from '../kernel/ports.ts';
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

/**
 * Where a host keeps files on their way, in a profile. It is removed without asking, at the start and at the stop, so
 * no folder of the analyst's has its name.
 */
export const filesFolderOf = (profile: string) => path.join(profile, 'parapet-files');

/** What a host that was killed left there, whichever host comes next. */
function removeLeftovers(profile: string): void {
  try {
    rmSync(filesFolderOf(profile), { recursive: true, force: true });
  } catch {
    // A profile that cannot be written to: nothing of this run goes there either.
  }
}

/** Creates the core in a profile that this process holds; what it refuses, a newer workspace among it, ends the start with its reason. */
export async function startApp(create: CreateApp, ports: Ports): Promise<App> {
  removeLeftovers(ports.paths.profile);
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
