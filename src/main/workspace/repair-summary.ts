/** The repair of a damaged workspace in words: what was read, what a backup restored, what is lost. */
import { dictionary } from '#shared/dictionary.ts';
import type { Repair, RepairedTable } from '../store/salvage.ts';

const NAMES: Readonly<Record<string, readonly [one: string, many: string]>> = dictionary({
  connections: ['connection', 'connections'],
  kv: ['saved value (layouts, drafts, favourites)', 'saved values (layouts, drafts, favourites)'],
  journal: ['journal entry', 'journal entries'],
  journal_targets: ['target of a journaled action', 'targets of journaled actions'],
  rules: ['rule', 'rules'],
  jobs: ['ended job', 'ended jobs'],
});

const counted = (n: number, table: string) => {
  const [singular, many] = NAMES[table] ?? [`row of ${table}`, `rows of ${table}`];
  return `${n.toLocaleString('en-US')} ${n === 1 ? singular : many}`;
};
const list = (tables: readonly RepairedTable[], count: (table: RepairedTable) => number) =>
  tables
    .filter((table) => count(table) > 0)
    .map((table) => counted(count(table), table.name))
    .join(', ');

const WHAT: Readonly<Record<Repair['cause'], string>> = {
  damaged: 'The workspace was damaged.',
  empty: 'The workspace was empty: its content is gone from its file.',
  missing: 'The workspace was missing from the profile folder.',
};

export function repairWords({ cause, setAside, backupAt, tables }: Repair): string {
  const when =
    backupAt === null ? null : `${new Date(backupAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const sentences = [WHAT[cause]];
  if (tables.length === 0) sentences.push('Its repair had been interrupted and was completed now.');
  const readable = list(tables, (table) => table.kept);
  if (cause === 'damaged' && tables.length > 0)
    sentences.push(readable === '' ? 'Nothing in it was readable.' : `Read in it: ${readable}.`);
  const restored = list(tables, (table) => table.restored);
  if (restored !== '') sentences.push(`Restored from the backup of ${when}: ${restored}.`);
  const broken = tables.filter((table) => !table.whole);
  if (tables.length > 0 && broken.length === 0) sentences.push('Nothing was lost.');
  const lost = list(broken, (table) => table.lost ?? 0);
  if (lost !== '') sentences.push(`Lost: ${lost}.`);
  const open = broken.map((table) => (NAMES[table.name] ?? ['', table.name])[1]).join(', ');
  if (broken.length > 0)
    sentences.push(
      when === null
        ? `There is no backup. Of the ${open}, anything not listed here may be lost.`
        : `Of the ${open}, anything added or changed after that backup and not listed here may be lost.`,
    );
  if (setAside !== null) sentences.push(`The damaged file is kept as ${setAside}.`);
  return sentences.join(' ');
}
