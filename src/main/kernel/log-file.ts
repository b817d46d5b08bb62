/**
 * The log in the profile, which is not encrypted: it accepts Parapet's own messages and nothing that came from mail,
 * services, files or the analyst. So the log needs no search for secrets: only data known to contain none is stored.
 */
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { isRecord } from '#shared/model/narrow.ts';

/** Folder in the profile. */
export const LOG_FOLDER = 'log';
/** The newest file and one before it are kept. */
const LOG_FILES = ['parapet.log', 'parapet.1.log'] as const;
export const LOG_MAX = 512 * 1024;
const LINE_MAX = 4000;

/** Data whose texts are words of the program: codes, names of operations, versions. */
const WORD_KEYS: ReadonlySet<string> = new Set([
  'code',
  'kind',
  'operation',
  'origin',
  'platform',
  'version',
]);
const WORD = /^[\w.-]{1,60}$/;
/** A message is a sentence of the source; one with other characters contains an inserted value. */
const SENTENCE = /^[A-Za-z][A-Za-z ,.’'-]{0,200}$/;

const ERROR_NAME = /^(?:Error: )?([A-Z][A-Za-z]{0,30}Error)\b/;
const SYSTEM_CODES = new Set([...Object.keys(os.constants.errno), 'ENOTFOUND', 'EAI_AGAIN', 'ECONNRESET']);
const CODE = /\b(?:E[A-Z_]{3,20}|SQLITE_[A-Z_]{2,30})\b/g;
/** A stack frame in the program's own files. */
const FRAME =
  /^ {4}at [^\n]*?\b(?:out|src)\/(main|preload|service|shared)\/([\w./-]{1,80}?\.[jt]s):(\d+):(\d+)\)?$/gm;
const FRAMES_MAX = 12;

/** What is kept of an error: its class, system codes, and where in the program it occurred. Its message is left out. */
function reduceText(text: string): string {
  const name = ERROR_NAME.exec(text)?.[1];
  const codes = [...new Set(text.match(CODE) ?? [])].filter(
    (code) => code.startsWith('SQLITE_') || SYSTEM_CODES.has(code),
  );
  const frames = [...text.matchAll(FRAME)]
    .slice(0, FRAMES_MAX)
    .map(([, room, file, line, column]) => `${room}/${file}:${line}:${column}`);
  return [
    ...(name === undefined ? [] : [name]),
    ...codes,
    ...frames,
    `(${text.length} characters left out)`,
  ].join(' ');
}

const reduceValue = (key: string, value: unknown): unknown => {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  if (typeof value !== 'string') return '(left out)';
  return WORD_KEYS.has(key) && WORD.test(value) ? value : reduceText(value);
};

/** One line of the log, without its line end. */
export function logLine(
  time: string,
  level: string,
  message: string,
  data: Readonly<Record<string, unknown>> = {},
): string {
  const words = SENTENCE.test(message) ? message : `A message ${reduceText(message)}`;
  const fields = Object.entries(data)
    .filter(([key]) => WORD.test(key))
    .map(([key, value]) => [key, reduceValue(key, value)]);
  return JSON.stringify({ at: time, level, message: words, ...Object.fromEntries(fields) }).slice(
    0,
    LINE_MAX,
  );
}

export interface LogFile {
  write(line: string): void;
}

/** Never throws: a log that cannot be written is no reason to stop. */
export function createLogFile(profile: string): LogFile {
  const folder = join(profile, LOG_FOLDER);
  const [newest, older] = LOG_FILES.map((name) => join(folder, name)) as [string, string];
  let size: number | null = null;
  return {
    write(line) {
      try {
        if (size === null) {
          mkdirSync(folder, { recursive: true, mode: 0o700 });
          size = statSync(newest, { throwIfNoEntry: false })?.size ?? 0;
        }
        const bytes = Buffer.from(`${line}\n`);
        if (size + bytes.length > LOG_MAX) {
          rmSync(older, { force: true });
          if (size > 0) renameSync(newest, older);
          size = 0;
        }
        appendFileSync(newest, bytes, { mode: 0o600 });
        size += bytes.length;
      } catch {
        // A read-only profile, or a full disk.
        size = null;
      }
    },
  };
}

/** The kept files, oldest first. Lines that another program wrote are left out. */
export function readLogs(profile: string): { name: string; text: string }[] {
  return [...LOG_FILES].reverse().flatMap((name) => {
    let text: string;
    try {
      text = readFileSync(join(profile, LOG_FOLDER, name), 'utf8').slice(-2 * LOG_MAX);
    } catch {
      return [];
    }
    const lines = text.split('\n').flatMap((line) => {
      try {
        const entry: unknown = JSON.parse(line);
        if (!isRecord(entry)) return [];
        const { at, level, message, ...data } = entry;
        const isComplete = typeof at === 'string' && typeof level === 'string' && typeof message === 'string';
        const when = isComplete ? new Date(at) : null;
        if (when === null || Number.isNaN(when.getTime())) return [];
        return [logLine(when.toISOString(), level === 'warn' ? 'warn' : 'info', String(message), data)];
      } catch {
        return [];
      }
    });
    return [{ name, text: lines.map((line) => `${line}\n`).join('') }];
  });
}
