// Checks the types of every part, lint with the import rules, tables, patterns, files that documents name, style tokens, allowed
// packages, unused code and generated docs.
import { brokenDictionaries } from './lint/dictionaries.mjs';
import { brokenDocuments } from './lint/documents.mjs';
import { brokenFloors } from './lint/floors.mjs';
import { brokenPatterns } from './lint/patterns.mjs';
import { brokenStyles } from './lint/styles.mjs';
import { brokenSupplyChain } from './lint/supply-chain.mjs';
import { bin, run, runNode } from './node.mjs';

const zones = [
  '.',
  'src/shared',
  'src/workers',
  'src/main',
  'src/preload',
  'src/service',
  'src/renderer',
  'tests',
];
let failed = 0;
for (const zone of zones) {
  const code = await runNode([bin('typescript', 'tsc'), '-p', zone]);
  if (code !== 0) console.error(`types: ${zone} failed`);
  failed += code === 0 ? 0 : 1;
}
const fix = process.argv.includes('--fix');
failed +=
  (await run(process.execPath, [
    bin('@biomejs/biome', 'biome'),
    'check',
    '--error-on-warnings',
    ...(fix ? ['--write'] : []),
    '.',
  ])) === 0
    ? 0
    : 1;
for (const [name, broken] of [
  ['dictionaries', brokenDictionaries()],
  ['documents', brokenDocuments()],
  ['floors', brokenFloors()],
  ['patterns', brokenPatterns()],
  ['styles', brokenStyles()],
  ['supply chain', brokenSupplyChain()],
]) {
  for (const line of broken) console.error(`${name}: ${line}`);
  failed += broken.length === 0 ? 0 : 1;
}
failed += (await runNode(['scripts/lint/workflows.mjs'])) === 0 ? 0 : 1;
failed += (await runNode(['node_modules/knip/bin/knip.js', '--no-progress'])) === 0 ? 0 : 1;
failed += (await runNode(['scripts/api-docs.ts', '--check'])) === 0 ? 0 : 1;
process.exitCode = failed === 0 ? 0 : 1;
