/** The long form of every differential run: docs/lab.md. PARAPET_SEED selects other inputs. */
import { RUNS } from '../differential/table.ts';
import { type Bench, type BenchSuite, print } from './support.ts';

const SHOWN = 20;

async function run(bench: Bench): Promise<void> {
  const seed = Number(process.env['PARAPET_SEED'] ?? 1);
  let unexplained = 0;
  for (const { name, witness, long, run: compare } of RUNS) {
    const began = performance.now();
    const outcome = await compare(long, seed);
    if (outcome === null) {
      print(`${name}: ${witness} is not installed`, [['not run', '']]);
      continue;
    }
    const took = performance.now() - began;
    bench.record({ name: 'differential', variant: name, rows: outcome.compared, median_ms: took });
    const { compared, skipped, differences, explained = {} } = outcome;
    unexplained += differences.length;
    print(`${name} against ${witness}, seed ${seed}, ${Math.round(took / 1000)} s`, [
      ['compared', String(compared)],
      ['refused by one of the two', String(skipped)],
      ...Object.entries(explained).map(([reason, count]) => [`differs: ${reason}`, String(count)] as const),
      ['differences without a reason', String(differences.length)],
    ]);
    for (const { input, ours, theirs } of differences.slice(0, SHOWN))
      console.log(`  ${input}\n    ours   ${ours}\n    theirs ${theirs}`);
  }
  if (unexplained > 0) throw new Error(`${unexplained} differences without a reason`);
}

export const suite: BenchSuite = { names: ['differential'], run };
