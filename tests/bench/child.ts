/**
 * One bench file in a process of its own: child.ts FILE OUT [NAME…]. Writes its entries to OUT as JSON. With `--list` in
 * the place of OUT it prints its names.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { goalsOf } from './goals.ts';
import { type BenchEntry, type BenchSuite, createBench, printEntries } from './support.ts';

const [file = '', out = '', ...names] = process.argv.slice(2);
const { suite } = (await import(pathToFileURL(path.resolve(file)).href)) as { suite?: BenchSuite };
if (suite === undefined) console.error(`${path.basename(file)} exports no suite: its figures are left out.`);
else if (out === '--list') console.log(suite.names.join('\n'));
else if (names.length === 0 || suite.names.some((name) => names.includes(name))) {
  const entries: BenchEntry[] = [];
  await suite.run(createBench(names, entries));
  printEntries(entries);
  writeFileSync(out, JSON.stringify(entries.map((entry) => ({ ...entry, goals: goalsOf(entry) }))));
}
