/** npm run service -- --port N --emails N --seed N [--mail PATH…]: the embedded service on its own. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { BASE_PATH } from '#shared/api/catalogue.ts';
import { plural } from '#shared/model/format.ts';
import { createServiceApp } from './app.ts';
import { openEvidence } from './evidence/source.ts';
import { ingestEvidence } from './import/ingest-evidence.ts';
import { isRoleName, ROLES, type RoleName } from './roles.ts';
import { type Listening, listen, type ServiceApp } from './server.ts';
import type { SqliteStore } from './store-sqlite/sqlite-store.ts';
import { createFront } from './threads/http-thread.ts';

const USAGE = `Usage: npm run service -- [options]
  --port N       port on 127.0.0.1, 0 to 65535 (default 0: a free one)
  --emails N     emails of the demo tenant, 1 to 5000000 (default 20000)
  --seed N       the same seed, the same tenant (default 1)
  --role ROLE    what the caller may do: ${Object.keys(ROLES).join(', ')} (default admin)
  --mail PATH…   serve these .eml files, .mbox files or folders instead of the demo tenant
  --help         print this`;
class UsageError extends Error {}
/** `--help`: nothing is started. */
class HelpAsked extends Error {}

interface Options {
  port: number;
  emails: number;
  seed: number;
  role: RoleName;
  mail: string[];
}

function readOptions(args: string[]): Options {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(args);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'Wrong options');
  }
  const { values, positionals } = parsed;
  if (values.help) throw new HelpAsked();
  if (positionals.length > 0 && !values.mail) throw new UsageError(`Unexpected: ${positionals[0]}`);
  const number = (
    name: 'port' | 'emails' | 'seed',
    fallback: number,
    least: number,
    most: number,
  ): number => {
    const text = values[name];
    if (text === undefined) return fallback;
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most))
      throw new UsageError(`--${name} takes a whole number from ${least} to ${most}`);
    return value;
  };
  const role = values.role ?? 'admin';
  if (!isRoleName(role)) throw new UsageError(`--role takes one of ${Object.keys(ROLES).join(', ')}`);
  return {
    role,
    port: number('port', 0, 0, 65_535),
    emails: number('emails', 20_000, 1, 5_000_000),
    seed: number('seed', 1, 0, 4_294_967_295),
    // A shell expands `--mail *.eml` into one option and further positional arguments.
    mail: [...(values.mail ?? []), ...(values.mail ? positionals : [])],
  };
}

const parse = (args: string[]) =>
  parseArgs({
    args,
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      port: { type: 'string' },
      emails: { type: 'string' },
      seed: { type: 'string' },
      role: { type: 'string' },
      mail: { type: 'string', multiple: true },
    },
  });

const out = (line: string): void => void process.stdout.write(`${line}\n`);
const err = (line: string): void => void process.stderr.write(`${line}\n`);

interface Running {
  app: ServiceApp;
  /** Work that continues while the service runs. */
  works(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Serves mail from the given paths from a database in memory, hence in this thread. */
function serveMail({ mail, role }: Options, token: string): Running {
  const store = openEvidence({ path: ':memory:' });
  const onError = (name: string, error: unknown) =>
    err(`${name} failed: ${error instanceof Error ? error.stack : error}`);
  return {
    app: createServiceApp(store, { token, caller: 'you', role, onError }),
    works: (signal) => importAll(store, mail, signal),
    async close() {
      store.close();
    },
  };
}

/** Serves the demo tenant from a temporary file, which threads can share. */
async function serveDemo({ emails, seed, role }: Options, token: string): Promise<Running> {
  const folder = mkdtempSync(path.join(tmpdir(), 'parapet-'));
  const entry = import.meta.url.endsWith('.ts') ? './worker.ts' : './embedded.js';
  const front = createFront({
    entry: new URL(entry, import.meta.url),
    spec: {
      source: { kind: 'demo', emails, seed },
      databasePath: path.join(folder, 'service.sqlite'),
      databaseKey: null,
      believed: [],
      rules: [],
      token,
      flags: {},
    },
    as: role,
    prints: true,
    flags: () => ({}),
    onEvent: () => {},
    onLost: (error) => {
      throw error;
    },
  });
  const clean = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    await front.open();
  } catch (error) {
    clean();
    throw error;
  }
  return {
    app: front,
    works: async () => {},
    async close() {
      await front.close();
      clean();
    },
  };
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  const abort = new AbortController();
  const token = randomBytes(32).toString('base64url');
  const { app, works, close } =
    options.mail.length > 0 ? serveMail(options, token) : await serveDemo(options, token);
  let imports = Promise.resolve();
  let server: Listening;
  try {
    server = await listen(app, options.port);
  } catch (error) {
    await close();
    throw error;
  }
  const stop = async (): Promise<void> => {
    abort.abort();
    await imports;
    await server.close();
    await close();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const)
    process.once(signal, () => void stop());
  out(`Service ready: http://127.0.0.1:${server.port}${BASE_PATH}`);
  out(`Token: ${token}`);
  imports = works(abort.signal);
  await imports;
}

async function importAll(store: SqliteStore, paths: readonly string[], signal: AbortSignal): Promise<void> {
  for (const mail of paths) {
    try {
      const { imported, problems, notMail } = await ingestEvidence(store, mail, { signal });
      out(
        `Imported ${plural(imported, 'message')} of ${mail}. Problems: ${problems.length}; files that are no mail: ${notMail}.`,
      );
    } catch (error) {
      if (signal.aborted) return;
      err(`${mail}: ${error instanceof Error ? error.message : error}`);
    }
  }
}

try {
  await main();
} catch (error) {
  if (error instanceof HelpAsked) {
    out(USAGE);
  } else if (error instanceof UsageError) {
    err(`${error.message}\n${USAGE}`);
    process.exitCode = 2;
  } else {
    err(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
