/**
 * "Save diagnostics": a zip for support. Nothing is sent. It consists of numbers and of words of
 * the program itself; nothing from mail, services, files or the analyst can get into it.
 */
import { readdirSync, statSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import type { AppInfo, Connection, ConnectionState, Job } from '#shared/bridge/operations.ts';
import { writeWithManifest } from '../files/whole-file.ts';
import type { Context } from '../kernel/context.ts';
import type { HandlersIn } from '../kernel/handlers.ts';
import { readLogs } from '../kernel/log-file.ts';
import { EARLIER } from '../store/profile-files.ts';

interface Entry {
  name: string;
  what: string;
  text: string;
}

export interface DiagnosticsDeps {
  ctx: Pick<Context, 'ports' | 'grants'>;
  info(): AppInfo;
  connections(): readonly Connection[];
  state(): ConnectionState;
  jobs(): readonly Job[];
}

/** Files that Parapet creates in a profile; others are counted but not named. */
const OWN_FILE =
  /^(?:(?:cache|workspace|lock)\.sqlite(?:-wal|-shm|-journal)?|workspace\.sqlite\.backup-[\d-]+|(?:cache|workspace)\.sqlite\.(?:damaged|earlier)-[\d-]+|demo-[\da-z-]+\.sqlite(?:\.(?:damaged|earlier)-[\dTZ-]+|\.found-damaged|\.being-replaced)?(?:-wal|-shm)?|key-check|secrets\.sealed|profile-id|reserve|window\.json|port)$/;
const OWN_FOLDERS = [EARLIER, 'crashes', 'evidence', 'log', 'parapet-files', 'parts', 'window'];

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

const countBy = <T>(items: readonly T[], keyOf: (item: T) => string): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const item of items) counts[keyOf(item)] = (counts[keyOf(item)] ?? 0) + 1;
  return counts;
};

/** Sizes of the files in the profile, with Parapet's own names only. */
function profileFiles(profile: string): object {
  const files: Record<string, number> = {};
  const folders: Record<string, number> = {};
  let others = 0;
  for (const name of readdirSync(profile)) {
    const stats = statSync(join(profile, name), { throwIfNoEntry: false });
    if (stats?.isFile() && OWN_FILE.test(name)) files[name] = stats.size;
    else if (stats?.isDirectory() && OWN_FOLDERS.includes(name))
      folders[name] = readdirSync(join(profile, name)).length;
    else others += 1;
  }
  return { bytes_of_files: files, entries_of_folders: folders, other_entries: others };
}

function machine({ ports }: DiagnosticsDeps['ctx'], info: AppInfo): object {
  const { node, electron = null, chrome = null } = process.versions;
  const { rss, heapUsed, external } = process.memoryUsage();
  return {
    parapet: info.version,
    host: info.host,
    at: new Date(ports.now()).toISOString(),
    running_seconds: Math.round(process.uptime()),
    system: { platform: process.platform, release: os.release(), arch: process.arch },
    runtime: { node, electron, chrome },
    processors: os.availableParallelism(),
    memory_bytes: { machine: os.totalmem(), free: os.freemem(), resident: rss, heap: heapUsed, external },
    profile_read_only: info.readOnly,
    secrets: { mode: info.secrets.mode, locked: info.secrets.locked },
    notices: info.notices.map(({ id, level }) => ({ id, level })),
  };
}

function policy({ managed }: AppInfo): object {
  if (managed === null) return { present: false };
  return {
    present: true,
    taken: managed.problem === null,
    off: managed.off,
    updates: managed.updates,
    cache_budget_bytes: managed.cacheBudgetBytes,
    connections: managed.connections.length,
    authorities: managed.authorities.length,
  };
}

function entries(deps: DiagnosticsDeps): Entry[] {
  const { ports } = deps.ctx;
  const info = deps.info();
  const state = deps.state();
  return [
    {
      name: 'machine.json',
      what: 'Versions, operating system, memory, how secrets are kept, which notices are shown',
      text: json(machine(deps.ctx, info)),
    },
    {
      name: 'profile.json',
      what: 'Sizes of Parapet’s own files; other files are counted, not named',
      text: json(profileFiles(ports.paths.profile)),
    },
    {
      name: 'connections.json',
      what: 'How many connections of each kind, and the state of the current one; no names, no addresses',
      text: json({
        kinds: countBy(deps.connections(), ({ kind }) => kind),
        with_credential: deps.connections().filter(({ hasCredential }) => hasCredential).length,
        current: {
          phase: state.phase,
          latency_ms: state.latencyMs,
          error: state.error?.code ?? null,
          through_proxy: state.proxy !== undefined,
        },
      }),
    },
    {
      name: 'jobs.json',
      what: 'Kind, state, progress and error code of the last jobs; no titles, no results',
      text: json(
        deps.jobs().map(({ kind, state: phase, done, total, unit, rate, startedAt, endedAt, error }) => ({
          ...{ kind, state: phase, done, total, unit, rate, startedAt, endedAt },
          error: error?.code ?? null,
        })),
      ),
    },
    {
      name: 'policy.json',
      what: 'What your organisation’s policy decides, as numbers and words of its format',
      text: json(policy(info)),
    },
    ...readLogs(ports.paths.profile).map(({ name, text }) => ({
      name: `log/${name}`,
      what: 'What Parapet logged: sentences of the program, error classes and codes, places in its source',
      text,
    })),
  ];
}

const LEFT_OUT =
  'Left out: passwords, passphrases, tokens and other credentials; names and addresses of connections, services and people; mail and everything in it; names of files and folders that are not Parapet’s own; texts of errors; queries and results; crash dumps, which contain memory and stay in the profile.';

const readme = (entries: readonly Entry[], time: string): string =>
  [
    'Diagnostics of Parapet',
    '',
    `Saved ${time}. Parapet has sent this to nobody.`,
    '',
    ...entries.map(({ name, what }) => `${name}: ${what}.`),
    '',
    LEFT_OUT,
    '',
  ].join('\n');

/** The entries and their README, which comes first in the zip. */
function contents(deps: DiagnosticsDeps): Entry[] {
  const list = entries(deps);
  const text = readme(list, new Date(deps.ctx.ports.now()).toISOString());
  return [{ name: 'README.txt', what: 'What this zip contains and what it leaves out', text }, ...list];
}

export function createDiagnosticsHandlers(deps: DiagnosticsDeps): HandlersIn<'diagnostics'> {
  const { ctx } = deps;
  return {
    async 'diagnostics.describe'() {
      return {
        entries: contents(deps).map(({ name, what, text }) => ({
          name,
          what,
          bytes: Buffer.byteLength(text),
        })),
        leftOut: LEFT_OUT,
      };
    },
    async 'diagnostics.save'({ grantId }) {
      const chosen = ctx.grants.redeem(grantId);
      const { TextReader, Uint8ArrayWriter, ZipWriter } = await import('@zip.js/zip.js');
      const zip = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false });
      const files = contents(deps);
      for (const { name, text } of files) await zip.add(name, new TextReader(text));
      const bytes = await zip.close();
      await writeWithManifest(ctx, chosen, bytes, {
        what: 'Diagnostics of Parapet',
        entries: files.length,
        connection: null,
      });
      return { name: chosen.name, bytes: bytes.length };
    },
  };
}
