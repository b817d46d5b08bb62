/** Operations on the application, its secrets, dialogs and window. */
import { z } from 'zod';
import { call, stream } from '../operation.ts';
import { none } from './common.ts';
import { connectionState } from './connections.ts';
import { job } from './jobs.ts';
import { resultSet } from './results.ts';
import { evidenceState } from './service.ts';

/** A single-use leave to read or write one file or folder that the analyst chose. */
const grant = z.object({ grantId: z.string(), name: z.string() });

const appInfo = z.object({
  version: z.string(),
  host: z.enum(['electron', 'browser']),
  platform: z.string(),
  profileName: z.string(),
  readOnly: z.boolean(),
  secrets: z.object({
    /** keychain: the OS keeps them. passphrase: a file sealed with one. run: until Parapet closes. undecided: ask. */
    mode: z.enum(['keychain', 'passphrase', 'run', 'undecided']),
    locked: z.boolean(),
    reason: z.string().nullable(),
  }),
  /** What start-up had to tell: a damaged cache set aside, a read-only profile. */
  notices: z.array(
    z.object({ id: z.string(), level: z.enum(['info', 'warning', 'error']), message: z.string() }),
  ),
  branding: z.object({ productName: z.string(), serviceName: z.string() }),
});
export type AppInfo = z.infer<typeof appInfo>;

const appEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('connection'), state: connectionState }),
  z.object({ type: z.literal('connections') }),
  z.object({ type: z.literal('info') }),
  z.object({ type: z.literal('job'), job }),
  z.object({ type: z.literal('result'), result: resultSet }),
  /** Answers of these tags changed: readers ask again. */
  z.object({ type: z.literal('invalidated'), connectionId: z.string(), tags: z.array(z.string()) }),
  /** The connection is another service or account now: nothing shown of it may stay on screen. */
  z.object({ type: z.literal('replaced'), connectionId: z.string() }),
  z.object({ type: z.literal('evidence'), connectionId: z.string(), state: evidenceState }),
  z.object({ type: z.literal('cache'), bytes: z.number(), budgetBytes: z.number() }),
  /** The Electron menu or another instance asks the window for something. */
  z.object({ type: z.literal('command'), command: z.string() }),
]);
export type AppEvent = z.infer<typeof appEvent>;

export const appOperations = {
  'app.info': call('What this Parapet is and what it had to tell at start', none, appInfo),

  'app.events': stream('Everything that changes by itself', none, appEvent, none),

  'secrets.choose': call(
    'Chooses how secrets are kept where there is no keychain, or opens the sealed file',
    z.object({
      mode: z.enum(['passphrase', 'run', 'keychain']),
      passphrase: z.string().max(1024).optional(),
    }),
    appInfo,
  ),

  'dialogs.save': call(
    'Asks where to save; null: the analyst cancelled',
    z.object({
      suggestedName: z.string().max(200),
      /** any: the name keeps whatever extension it has. */
      kind: z.enum(['csv', 'ndjson', 'json', 'xlsx', 'zip', 'any']),
    }),
    grant.nullable(),
  ),

  'dialogs.open': call(
    'Asks which file to open',
    z.object({
      kind: z.enum(['query-file', 'evidence-folder', 'evidence-file', 'verify-file', 'verify-manifest']),
    }),
    grant.nullable(),
  ),

  'window.control': call(
    'Title bar buttons; a browser host has none',
    z.object({ action: z.enum(['minimise', 'maximise', 'close']) }),
    none,
  ),

  'clipboard.write': call('Puts text on the clipboard', z.object({ text: z.string().max(50_000_000) }), none),
} as const;
