/** Operations on the application, its secrets, dialogs and window. */
import { z } from 'zod';
import { managed } from '../../model/policy.ts';
import { call, stream } from '../operation.ts';
import { none } from './common.ts';
import { connectionState } from './connections.ts';
import { exportFormat } from './exports.ts';
import { job } from './jobs.ts';
import { resultSet } from './results.ts';
import { evidenceState } from './service.ts';
import { updateState } from './updates.ts';

/** A single-use permission to read or write a file or folder that the analyst chose. */
const grant = z.object({ grantId: z.string(), name: z.string() });

/** A file or link from outside: dropped on the window, or opened with Parapet. It is not read before the analyst agrees. */
export const offer = z.discriminatedUnion('kind', [
  grant.extend({ kind: z.enum(['mail-file', 'mail-folder', 'query-file']) }),
  z.object({ kind: z.literal('refused'), name: z.string(), reason: z.string() }),
]);
export type Offer = z.infer<typeof offer>;

const appInfo = z.object({
  version: z.string(),
  host: z.enum(['electron', 'browser']),
  platform: z.string(),
  /** Full path of the profile's folder. */
  profileFolder: z.string(),
  readOnly: z.boolean(),
  secrets: z.object({
    /** keychain: stored by the OS. passphrase: in a file encrypted with one. run: until Parapet closes. undecided: ask. */
    mode: z.enum(['keychain', 'passphrase', 'run', 'undecided']),
    locked: z.boolean(),
    reason: z.string().nullable(),
  }),
  /** Notices from start-up: a damaged cache set aside, a read-only profile. */
  notices: z.array(
    z.object({ id: z.string(), level: z.enum(['info', 'warning', 'error']), message: z.string() }),
  ),
  /** Settings decided by the policy of this machine, or null if it has none. */
  managed: managed.nullable(),
  branding: z.object({ productName: z.string(), serviceName: z.string() }),
});
export type AppInfo = z.infer<typeof appInfo>;

/** At most a picture's side. */
const pixels = z.object({
  width: z.number().int().min(1).max(16_384),
  height: z.number().int().min(1).max(16_384),
});

const appEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('connection'), state: connectionState }),
  z.object({ type: z.literal('connections') }),
  z.object({ type: z.literal('info') }),
  z.object({ type: z.literal('job'), job }),
  z.object({ type: z.literal('result'), result: resultSet }),
  /** Responses with these tags changed: readers request them again. */
  z.object({ type: z.literal('invalidated'), connectionId: z.string(), tags: z.array(z.string()) }),
  /** The connection is now another service or account: nothing of the old one may stay on screen. */
  z.object({ type: z.literal('replaced'), connectionId: z.string() }),
  z.object({ type: z.literal('evidence'), connectionId: z.string(), state: evidenceState }),
  z.object({ type: z.literal('cache'), bytes: z.number(), budgetBytes: z.number() }),
  /** The Electron menu or another instance sends a command to the window. */
  z.object({ type: z.literal('command'), command: z.string() }),
  z.object({ type: z.literal('offered'), offer }),
  /** Something was opened with Parapet: `arrivals.next` returns it. */
  z.object({ type: z.literal('arrived') }),
  z.object({ type: z.literal('updates'), state: updateState }),
  /** Profiles saved for offline were released, or removed with the cache. */
  z.object({ type: z.literal('pins') }),
  /** The rules of the profile changed. */
  z.object({ type: z.literal('rules') }),
  /** A value of the workspace changed, in whichever window. */
  z.object({ type: z.literal('workspace'), key: z.string() }),
]);
export type AppEvent = z.infer<typeof appEvent>;

export const appOperations = {
  'app.info': call('Version, environment and start-up notices of this Parapet', none, appInfo),

  'app.ping': call('Answers while Parapet runs', none, none),

  'app.events': stream('Events of everything that changes by itself', none, appEvent, none),

  'secrets.choose': call(
    'Chooses how secrets are kept without a keychain, or opens the sealed file',
    z.object({
      mode: z.enum(['passphrase', 'run', 'keychain']),
      passphrase: z.string().max(1024).optional(),
    }),
    appInfo,
  ),

  'diagnostics.describe': call(
    'What a zip of diagnostics would contain now, and what it leaves out',
    none,
    z.object({
      entries: z.array(z.object({ name: z.string(), what: z.string(), bytes: z.number() })),
      leftOut: z.string(),
    }),
  ),

  'diagnostics.save': call(
    'Writes the diagnostics to a granted file; nothing is sent',
    z.object({ grantId: z.string() }),
    z.object({ name: z.string(), bytes: z.number() }),
  ),

  'dialogs.save': call(
    'Asks where to save; null: the analyst cancelled',
    z.object({
      suggestedName: z.string().max(200),
      /** any: the name keeps its extension, if any. */
      kind: z.enum([...exportFormat.options, 'zip', 'any']),
    }),
    grant.nullable(),
  ),

  'dialogs.open': call(
    'Asks which file to open',
    z.object({
      kind: z.enum([
        'query-file',
        'evidence-folder',
        'evidence-file',
        'verify-file',
        'verify-manifest',
        'rule-file',
      ]),
    }),
    grant.nullable(),
  ),

  'window.control': call(
    'Title bar buttons; a browser host has none',
    z.object({ action: z.enum(['minimise', 'maximise', 'close']) }),
    none,
  ),

  'window.capture': call(
    'Photographs all of a sanitised document, drawn by Chromium without script and network; null: this host cannot',
    z.object({
      document: z.string().max(100_000_000),
      /** The window in which it is laid out, without scroll bars, and how much of it there is; CSS pixels. */
      view: pixels,
      size: pixels,
      isDark: z.boolean(),
      /** Names of computed styles, for the comparison with the document on screen. */
      looks: z.array(z.string()).max(200),
    }),
    z
      .object({
        png: z.base64(),
        /** Every element as drawn, in document order; `place` is left, top, width and height. */
        elements: z.array(
          z.object({ name: z.string(), place: z.array(z.number()), look: z.array(z.string()) }),
        ),
      })
      .nullable(),
  ),

  'clipboard.write': call('Puts text on the clipboard', z.object({ text: z.string().max(50_000_000) }), none),
} as const;
