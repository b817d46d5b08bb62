// Layers inside a part of src/: a file imports only from its own folder and from layers below. Biome keeps the parts apart.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../node.mjs';
import { sources } from './files.mjs';

const foldersOf = (room) =>
  readdirSync(path.join(root, room), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

/** Features that may import the others. */
const ON_TOP = ['people', 'campaign', 'rules'];

/** From the top; folders of one layer do not import each other. */
const FLOORS = {
  'src/main': [
    ['index.ts', 'node.ts'],
    ['host'],
    ['app.ts'],
    ['app-profile.ts', 'app-services.ts', 'indicators'],
    ['app-notices.ts'],
    ['actions', 'exceptions', 'export', 'response-cache', 'rules'],
    ['connections', 'host-ui', 'matched-file', 'proof', 'queries-file', 'results', 'updates', 'workspace'],
    ['embedded', 'files', 'jobs', 'upstream'],
    ['parsing', 'store'],
    ['kernel'],
  ],
  'src/service': [
    ['cli.ts', 'worker.ts'],
    ['threads'],
    ['app.ts', 'demo', 'evidence'],
    ['import', 'store-sqlite'],
    ['rules'],
    ['routes'],
    ['query'],
    ['http'],
    ['formats'],
    ['store'],
    ['roles.ts', 'server.ts'],
  ],
  'src/service/evidence': [['open-index.ts'], ['source.ts', 'watch.ts']],
  // A container knows no mail, and a mailbox none of its vendors.
  'src/service/formats': [
    ['mail', 'signins'],
    ['crypto', 'mailboxes'],
    ['documents'],
    ['outlook'],
    ['containers'],
    ['files'],
  ],
  'src/renderer': [
    ['main.tsx'],
    ['app'],
    ['features'],
    // Shared by several features about one entity: panels of the profiles, its stack, its actions.
    ['entity'],
    // Keys of every screen, and how commands are drawn.
    ['commands'],
    ['state'],
    ['bridge', 'ui'],
  ],
  'src/renderer/features': [
    // These show parts of other features: sign-ins on the map, rows as in results, conditions as in queries.
    ON_TOP,
    // All others are one layer.
    foldersOf('src/renderer/features').filter((name) => !ON_TOP.includes(name)),
  ],
};

/** No chain of imports may lead from one to the other: evidence must not show generated data. */
const APART = [
  ['src/service/evidence', 'src/service/demo'],
  ['src/service/import', 'src/service/demo'],
];

/** Rows, their exports and actions are about a run: they are given its question and do not look up the draft. */
const OF_A_RUN = 'src/renderer/features/queries/results';
/** One starts the run of the draft, the other keeps the view of its rows. */
const KNOW_THE_DRAFT = ['use-run.ts', 'use-filter.ts'];

/** The only place of SQL and SQLite's types in the service (docs/adr/0029-store-port.md). */
const SQL_ROOM = 'src/service/store-sqlite/';
const SQL =
  /better-sqlite3|\.prepare(?:<|\(\s*['"`])|\bdb\.(?:prepare|exec|pragma|transaction)\(|['"`(]\s*(?:SELECT|INSERT (?:OR \w+ )?INTO|UPDATE \w+ SET|DELETE FROM|WITH \w+ AS)\s/;

/** Allowed imports upwards or sideways, each with its reason. */
const ALLOWED = new Map([
  [
    'src/main/kernel/context.ts > src/main/store',
    'the context passes databases on; only their type is imported',
  ],
]);

const IMPORT = /(?:\bfrom|\bimport|\bimport\()\s*['"]([^'"]+)['"]/g;

/** The imported file as a path from the root; null: a package. */
const targetOf = (file, name) =>
  name.startsWith('.')
    ? path.posix.join(path.posix.dirname(file), name)
    : name.startsWith('#')
      ? `${name.startsWith('#tests/') ? '' : 'src/'}${name.slice(1)}`
      : null;

function importsOf(file) {
  const imports = readFileSync(path.join(root, file), 'utf8').matchAll(IMPORT);
  return [...imports].map(([, name]) => targetOf(file, name)).filter((target) => target !== null);
}

/** The first chain of imports from one folder to another; null: there is none. */
function chain(from, to) {
  const reached = new Map([...sources(from)].map((file) => [file, file]));
  for (const [file, way] of reached) {
    if (file.startsWith(`${to}/`)) return way;
    if (/\.tsx?$/.test(file))
      for (const target of importsOf(file))
        if (!reached.has(target)) reached.set(target, `${way} > ${target}`);
  }
  return null;
}

export function brokenFloors() {
  const broken = [];
  const used = new Set();
  for (const [room, floors] of Object.entries(FLOORS)) {
    const floorOf = new Map(floors.flatMap((folders, floor) => folders.map((folder) => [folder, floor])));
    const folderOf = (file) => path.posix.relative(room, file).split('/')[0];
    for (const file of sources(room)) {
      const from = folderOf(file);
      if (!floorOf.has(from)) broken.push(`${file}: ${room}/${from} has no layer`);
      for (const target of importsOf(file)) {
        if (!target.startsWith(`${room}/`)) continue;
        const to = folderOf(target);
        if (to === from || floorOf.get(to) > floorOf.get(from)) continue;
        const arrow = `${file} > ${room}/${to}`;
        if (ALLOWED.has(arrow)) used.add(arrow);
        else broken.push(`${file} imports ${target}: not in a layer below`);
      }
    }
  }
  for (const [from, to] of APART) {
    const found = chain(from, to);
    if (found !== null) broken.push(`${from} reaches ${to}: ${found}`);
  }
  for (const file of sources(OF_A_RUN)) {
    const knows = file.includes('.test.') || KNOW_THE_DRAFT.includes(path.posix.relative(OF_A_RUN, file));
    if (!knows && /\b(?:currentDraft|useDraft)\b/.test(readFileSync(path.join(root, file), 'utf8')))
      broken.push(`${file} looks up the draft: what is said about rows comes from their run`);
  }
  for (const file of sources('src/service')) {
    if (!file.startsWith(SQL_ROOM) && SQL.test(readFileSync(path.join(root, file), 'utf8')))
      broken.push(`${file} has SQL: it belongs in ${SQL_ROOM}`);
  }
  for (const arrow of ALLOWED.keys())
    if (!used.has(arrow)) broken.push(`${arrow} is allowed but no longer used`);
  return broken;
}
