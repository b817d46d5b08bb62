/** The phases in which thousand-kills.test.ts kills Parapet: the state before each, and its work. */

import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Keychain } from '#main/kernel/ports.ts';
import { evidenceSource, prepareEvidence } from '#service/evidence/source.ts';
import { ingestEvidence } from '#service/import/ingest-evidence.ts';
import { openStore } from '#service/store-sqlite/sqlite-store.ts';
import type { Bridge } from '#shared/bridge/bridge.ts';
import type { ExportFormat } from '#shared/bridge/operations/exports.ts';
import { type Core, type CoreOptions, failingKeychain, startCore, tenantSettings } from './core.ts';
import { ROWS_PAYLOAD, rowColumns } from './rows-service.ts';
import { BUILT } from './threads.ts';

export const PASSPHRASE = 'correct horse battery';
export const ZIP_PASSWORD = 'sealed and sent';
export const FIRST = 'credential-of-the-first';
export const SECOND = 'credential-of-the-second';
export const ROWS = 2_000;
const QUERIES = 25;
export const EVIDENCE_KEY = 'c3'.repeat(32);

/** Where secrets are stored before the phase; none: the profile is not saved yet. */
export type Home = 'keychain' | 'passphrase' | 'none';

export interface Stage {
  profile: string;
  /** Folder for exported files. */
  out: string;
  /** Addresses of the service and of a second one. */
  url: string;
  second: string;
  /** Part of every change, so that it can be found in the journal. */
  mark: string;
}

export interface Phase {
  home: Home;
  /** The state before: only the connection, all rows of a run, a damaged profile, evidence. */
  fixture: 'connection' | 'rows' | 'damaged' | 'evidence' | 'nothing';
  /** The phase starts at `begin` and ends with the returned promise; null: no core is left. */
  act(stage: Stage, begin: () => void): Promise<Core | null>;
}

/** A keychain in a file of the profile, replaced atomically like a real one. */
export function keychainIn(profile: string): Keychain {
  const path = join(profile, 'keychain.json');
  const read = (): Record<string, string> =>
    existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>) : {};
  const write = (entries: Record<string, string>) => {
    writeFileSync(`${path}.next`, JSON.stringify(entries));
    renameSync(`${path}.next`, path);
  };
  return {
    get: async (account) => read()[account] ?? null,
    set: async (account, secret) => write({ ...read(), [account]: secret }),
    remove: async (account) => {
      const { [account]: _, ...others } = read();
      write(others);
    },
  };
}

export const startIn = (profile: string, home: Home | 'moving', more: Partial<CoreOptions> = {}) =>
  startCore({
    profile,
    keychain:
      home === 'keychain' || home === 'moving' ? keychainIn(profile) : failingKeychain('secrets-unavailable'),
    workers: BUILT,
    dialogs: {
      save: async ({ suggestedName }) => ({ path: suggestedName, name: basename(suggestedName) }),
      open: async () => ({ path: join(profile, 'queries.json'), name: 'queries.json' }),
    },
    ...more,
  });

const connectionOf = async (bridge: Bridge) =>
  (await bridge.call('connections.list', {})).connections[0]?.id ?? '';
export const add = (bridge: Bridge, url: string) =>
  bridge.call('connections.save', {
    id: null,
    settings: tenantSettings(url),
    credential: FIRST,
    grantId: null,
  });
export const choose = (core: Core, mode: 'passphrase' | 'keychain') =>
  core.bridge.call('secrets.choose', mode === 'passphrase' ? { mode, passphrase: PASSPHRASE } : { mode });

export const openRun = async (bridge: Bridge, refresh = false) =>
  bridge.call('results.open', {
    connectionId: await connectionOf(bridge),
    payload: ROWS_PAYLOAD,
    columns: rowColumns,
    refresh,
  });
/** Requests every row, and reports once the call has returned; from then on the fetch must complete. */
async function fetchAll(bridge: Bridge): Promise<string> {
  const { id } = await openRun(bridge);
  await bridge.call('results.fill', { resultId: id, action: 'pause', pageSize: 100 });
  await bridge.call('results.fill', { resultId: id, action: 'all', pageSize: 100 });
  process.stdout.write(`promised ${id}\n`);
  return id;
}
const until = async (holds: () => Promise<boolean>) => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 2));
};
const jobEnded = (bridge: Bridge, id: string) =>
  until(async () => {
    const { jobs } = await bridge.call('jobs.list', {});
    return !['queued', 'running'].includes(jobs.find((job) => job.id === id)?.state ?? '');
  });

const exporting = (format: ExportFormat, sealed = false): Phase => ({
  home: 'keychain',
  fixture: 'rows',
  async act({ profile, out }, begin) {
    const core = await startIn(profile, 'keychain');
    const { bridge } = core;
    const { id } = await openRun(bridge);
    const path = join(out, `rows.${format}${sealed ? '.zip' : ''}`);
    const grant = await bridge.call('dialogs.save', { suggestedName: path, kind: sealed ? 'zip' : format });
    begin();
    const job = await bridge.call('exports.start', {
      resultId: id,
      grantId: grant?.grantId ?? '',
      format,
      columns: [
        { id: 'entity_id', label: 'entity_id' },
        ...rowColumns.map(({ id: column }) => ({ id: column, label: column })),
      ],
      raw: false,
      bom: false,
      zone: 'UTC',
      ...(sealed ? { zip: { password: ZIP_PASSWORD } } : {}),
    });
    await jobEnded(bridge, job.id);
    return core;
  },
});

/** Sends changes one after another, each with its own name. */
const changing = (
  times: number,
  send: (bridge: Bridge, connectionId: string, mark: string) => Promise<unknown>,
): Phase => ({
  home: 'keychain',
  fixture: 'connection',
  async act({ profile, mark }, begin) {
    const core = await startIn(profile, 'keychain');
    const connectionId = await connectionOf(core.bridge);
    begin();
    for (let turn = 0; turn < times; turn++) await send(core.bridge, connectionId, `${mark}-${turn}.`);
    return core;
  },
});

/** The phase is the start itself. */
const starting = (fixture: Phase['fixture']): Phase => ({
  home: 'keychain',
  fixture,
  async act({ profile }, begin) {
    begin();
    return startIn(profile, 'keychain');
  },
});

const moving = (home: Home, fixture: Phase['fixture'], to: 'passphrase' | 'keychain'): Phase => ({
  home,
  fixture,
  async act({ profile, url }, begin) {
    const core = await startIn(profile, home === 'passphrase' && to === 'keychain' ? 'moving' : home);
    if (home === 'none') await add(core.bridge, url);
    if (home === 'passphrase' && to === 'keychain') await choose(core, 'passphrase');
    begin();
    await choose(core, to);
    return core;
  },
});

export const phases: Record<string, Phase> = {
  'repair of a damaged workspace': starting('damaged'),
  'key choice: none → passphrase': moving('none', 'nothing', 'passphrase'),
  'key choice: keychain → passphrase': moving('keychain', 'connection', 'passphrase'),
  'key choice: passphrase → keychain': moving('passphrase', 'connection', 'keychain'),
  unlock: moving('passphrase', 'connection', 'passphrase'),
  'connection save': {
    home: 'keychain',
    fixture: 'connection',
    async act({ profile, second }, begin) {
      const core = await startIn(profile, 'keychain');
      const id = await connectionOf(core.bridge);
      begin();
      await core.bridge.call('connections.save', {
        id,
        settings: tenantSettings(second),
        credential: SECOND,
        grantId: null,
      });
      return core;
    },
  },
  'a change': changing(12, (bridge, connectionId, mark) =>
    bridge.call('service.send', { connectionId, endpoint: 'query.delete', params: { id: mark } }),
  ),
  'an exception': changing(12, (bridge, connectionId, mark) =>
    bridge.call('service.send', {
      connectionId,
      endpoint: 'exceptions.create-external',
      body: {
        sec_type: 'ap_guard',
        exception: { type: 'blacklist', string: mark, payload: { field: 'subject', matching: 'exact' } },
      },
    }),
  ),
  'an action': {
    home: 'keychain',
    fixture: 'rows',
    async act({ profile, mark }, begin) {
      const core = await startIn(profile, 'keychain');
      const { bridge } = core;
      const { id } = await openRun(bridge);
      begin();
      const prepared = await bridge.call('actions.prepare', {
        resultId: id,
        queryId: null,
        queryLabel: 'Inbox',
        scope: { kind: 'loaded' },
      });
      const { job } = await bridge.call('actions.send', {
        preparedId: prepared.id,
        actionId: 'quarantine',
        params: {},
        reason: `${mark}.`,
      });
      await jobEnded(bridge, job.id);
      return core;
    },
  },
  'fetch of every row': {
    home: 'keychain',
    fixture: 'connection',
    async act({ profile }, begin) {
      const core = await startIn(profile, 'keychain');
      begin();
      const id = await fetchAll(core.bridge);
      await until(async () => (await core.bridge.call('results.get', { resultId: id }))?.state !== 'filling');
      return core;
    },
  },
  'export, CSV': exporting('csv'),
  'export, XLSX': exporting('xlsx'),
  'export, sealed zip': exporting('csv', true),
  'query import': {
    home: 'keychain',
    fixture: 'connection',
    async act({ profile, mark }, begin) {
      const queries = Array.from({ length: QUERIES }, (_, n) => ({
        type: 'query',
        domain: 'email',
        entityType: 'email',
        name: `${mark} ${n}`,
        columns: [],
      }));
      writeFileSync(
        join(profile, 'queries.json'),
        JSON.stringify({ kind: 'parapet-queries', version: 1, queries }),
      );
      const core = await startIn(profile, 'keychain');
      const { bridge } = core;
      const connectionId = await connectionOf(bridge);
      const grant = await bridge.call('dialogs.open', { kind: 'query-file' });
      begin();
      const { importId } = await bridge.stream(
        'queries.inspect',
        { connectionId, grantId: grant?.grantId ?? '' },
        () => undefined,
      );
      const choices = queries.map((_, index) => ({ index, as: 'new' as const }));
      await bridge.call('queries.import', { connectionId, importId, choices });
      return core;
    },
  },
  'evidence import': {
    home: 'none',
    fixture: 'evidence',
    async act({ profile }, begin) {
      const store = openStore({ path: join(profile, 'evidence.sqlite'), key: EVIDENCE_KEY }, evidenceSource);
      begin();
      prepareEvidence(store);
      await ingestEvidence(store, join(profile, 'mail'));
      store.close();
      return null;
    },
  },
  'clear cache': {
    home: 'keychain',
    fixture: 'rows',
    async act({ profile }, begin) {
      const core = await startIn(profile, 'keychain');
      begin();
      await core.bridge.call('cache.wipe', { connectionId: null });
      return core;
    },
  },
  shutdown: {
    home: 'keychain',
    fixture: 'connection',
    async act({ profile, mark }, begin) {
      const core = await startIn(profile, 'keychain');
      const { bridge } = core;
      const connectionId = await connectionOf(bridge);
      await fetchAll(bridge);
      void bridge
        .call('service.send', { connectionId, endpoint: 'query.delete', params: { id: `${mark}-0.` } })
        .catch(() => undefined);
      begin();
      await core.stop();
      return null;
    },
  },
};

/** Files in a folder with names that only unfinished files have. */
export const unfinished = (folder: string): string[] =>
  readdirSync(folder).filter((name) => /\.(?:part|new)$|^run-/.test(name));
