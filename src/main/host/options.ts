/** Command line options of both hosts. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isLink, LINK_MAX } from '#shared/bridge/link.ts';
import { ARRIVALS_MAX, type Arrival } from '../host-ui/open-requests.ts';

/** The value of `--connect`. */
type ConnectTarget =
  | { kind: 'demo' }
  | { kind: 'none' }
  | { kind: 'tenant'; url: string }
  | { kind: 'evidence'; path: string };

export interface HostOptions {
  open: boolean;
  /** 0 for any free port. */
  port: number;
  /** Absolute path, or null for the default location of the operating system. */
  profile: string | null;
  /** Null if not given. */
  connect: ConnectTarget | null;
  /** Files and links to open. */
  arrivals: Arrival[];
}

const USAGE = `Usage: npm start -- [options] [FILE or parapet:// link]...
  FILE                      mail (.eml, .mbox), a folder of it, or queries (.json):
                            the window asks before it opens it
  parapet://...             goes to a screen, a query or a profile, for example
                            parapet://home, parapet://query/ID, parapet://email/APP/ID
  --host electron|browser   where Parapet opens
  --no-open                 do not open a browser window
  --port N                  port of the browser host (default: any free one)
  --profile DIR             where databases and settings are kept
  --connect WHAT            demo, none, an https:// address, or evidence:PATH
  --version                 print the version
  --help                    print this`;

export type ParsedOptions =
  | { ok: true; options: HostOptions }
  /** Not started: asked for `help` or the `version`, or refused for a reason. */
  | { ok: false; option: 'help' | 'version' }
  | { ok: false; reason: string };

/** What is printed instead of starting, and the exit code; an error goes to standard error. */
export function printInstead(
  parsed: Extract<ParsedOptions, { ok: false }>,
  version: string,
): { text: string; code: 0 | 2 } {
  if ('reason' in parsed) return { text: `${parsed.reason}\n\n${USAGE}\n`, code: 2 };
  return { text: parsed.option === 'help' ? `${USAGE}\n` : `Parapet ${version}\n`, code: 0 };
}

const refuse = (reason: string): ParsedOptions => ({ ok: false, reason });
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

function parseTarget(text: string, cwd: string): ConnectTarget | string {
  if (text === 'demo' || text === 'none') return { kind: text };
  if (text.startsWith('evidence:')) {
    const folder = text.slice('evidence:'.length);
    return folder === ''
      ? '--connect evidence: needs a path'
      : { kind: 'evidence', path: path.resolve(cwd, folder) };
  }
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return `--connect takes demo, none, an https:// address or evidence:PATH, not ${JSON.stringify(text)}`;
  if (url.username !== '' || url.password !== '')
    return '--connect takes no user name or password in the address: enter the credential in the window';
  if (url.protocol === 'http:' && !LOOPBACK.has(url.hostname))
    return '--connect takes http:// for this machine only; use https://';
  return { kind: 'tenant', url: text };
}

/** A file on this machine, by its path or its address; anything else is refused. */
function parseArrival(text: string, cwd: string): Arrival {
  if (isLink(text)) return { kind: 'link', text: text.slice(0, LINK_MAX + 1) };
  if (/^file:/i.test(text)) {
    const host = URL.parse(text)?.hostname;
    try {
      if (host === '' || host === 'localhost') return { kind: 'file', path: fileURLToPath(text) };
    } catch {
      // No path of this system.
    }
    return { kind: 'refused', reason: 'That is not the address of a file on this machine.' };
  }
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text))
    return { kind: 'refused', reason: 'Parapet opens files and parapet:// links, but no other addresses.' };
  return { kind: 'file', path: path.resolve(cwd, text) };
}

function parseArrivals(texts: readonly string[], cwd: string): Arrival[] {
  const arrivals = texts.slice(0, ARRIVALS_MAX - 1).map((text) => parseArrival(text, cwd));
  const omitted = texts.length - arrivals.length;
  return omitted === 0
    ? arrivals
    : [
        ...arrivals,
        { kind: 'refused', reason: `${omitted} more were not opened: choose a folder to open many files.` },
      ];
}

/** The first argument after a link that is no link itself, or undefined if there is none. */
const strayAfterLink = (argv: readonly string[]): string | undefined => {
  const link = argv.findIndex(isLink);
  return link < 0 ? undefined : argv.slice(link).find((arg) => !isLink(arg));
};

/**
 * Parses the arguments after the program path; relative paths are resolved against `cwd`. Only links may follow a link,
 * which comes from a page: see `ownArguments`.
 */
export function parseOptions(argv: readonly string[], cwd: string): ParsedOptions {
  const stray = strayAfterLink(argv);
  if (stray !== undefined)
    return refuse(
      `Only links may follow a parapet:// link, as a web page may have written what follows it. Put ${JSON.stringify(stray)} before the link`,
    );
  let values: {
    'no-open'?: boolean;
    port?: string;
    profile?: string;
    connect?: string;
    help?: boolean;
    version?: boolean;
  };
  let positionals: string[];
  try {
    ({ values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        'no-open': { type: 'boolean' },
        port: { type: 'string' },
        profile: { type: 'string' },
        connect: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean' },
      },
    }));
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
  if (values.help) return { ok: false, option: 'help' };
  if (values.version) return { ok: false, option: 'version' };
  const port = values.port ?? '0';
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    return refuse(`--port takes a number from 0 to 65535, not ${JSON.stringify(port)}`);
  if (values.profile === '') return refuse('--profile needs a folder');
  const connect = values.connect === undefined ? null : parseTarget(values.connect, cwd);
  if (typeof connect === 'string') return refuse(connect);
  return {
    ok: true,
    options: {
      open: values['no-open'] !== true,
      port: Number(port),
      profile: values.profile === undefined ? null : path.resolve(cwd, values.profile),
      connect,
      arrivals: parseArrivals(
        positionals.filter((text) => text !== ''),
        cwd,
      ),
    },
  };
}

const OWN_SWITCHES = ['--no-open', '--help', '-h', '--version'];
const OWN = [...OWN_SWITCHES, '--port', '--profile', '--connect'];

/**
 * Parapet's options, files and links among the switches of Electron and Chromium on the same command line; unless
 * `packaged`, the application's own folder comes first. Only links may follow a link: a page that breaks out of the
 * system's quotes around its link must not be able to add an option or a file. On Windows, merely accessing
 * \\server\share logs on to that server.
 */
export function ownArguments(argv: readonly string[], packaged: boolean): string[] {
  const options: string[] = [];
  const opened: string[] = [];
  let skips = packaged ? 0 : 1;
  let onlyOpens = false;
  let onlyLinks = false;
  for (let index = 0; index < argv.length; index++) {
    const arg = argv[index] ?? '';
    if (onlyLinks && !isLink(arg)) continue;
    if (onlyOpens || !arg.startsWith('-')) {
      if (skips > 0) skips--;
      else {
        opened.push(arg);
        onlyLinks ||= isLink(arg);
      }
      continue;
    }
    onlyOpens = arg === '--';
    if (!OWN.includes(arg.split('=', 1)[0] ?? arg)) continue;
    options.push(arg);
    const value = argv[index + 1];
    if (!OWN_SWITCHES.includes(arg) && !arg.includes('=') && value !== undefined) {
      options.push(value);
      index++;
    }
  }
  return opened.length === 0 ? options : [...options, '--', ...opened];
}
