/** Checks a file against its manifest, without a profile: see USAGE. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { manifestBeside, readManifest, verifyFile } from '../src/main/proof/verify.ts';

const USAGE = `Usage: npm run verify -- FILE [--manifest FILE] [--password-file FILE]
  FILE                  the exported file
  --manifest FILE       its manifest (default: the one beside the file)
  --password-file FILE  a file with the password of a zip, without which its content is not checked
  --help                print this`;
const MARKS = { true: 'holds         ', false: 'DOES NOT HOLD ', null: '              ' } as const;

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        manifest: { type: 'string' },
        'password-file': { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return { values: {}, positionals: [] };
  }
}

async function main(): Promise<number> {
  const { values, positionals } = readArguments();
  const [file, ...more] = positionals;
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  if (file === undefined || more.length > 0) {
    console.error(USAGE);
    return 2;
  }
  const passwordFile = values['password-file'];
  const scratch = mkdtempSync(path.join(tmpdir(), 'parapet-verify-'));
  try {
    const verdict = await verifyFile(file, {
      manifest:
        values.manifest === undefined ? await manifestBeside(file) : await readManifest(values.manifest),
      password: passwordFile === undefined ? null : readFileSync(passwordFile, 'utf8').replace(/\r?\n$/, ''),
      scratch,
    });
    for (const { holds, text } of verdict.lines) console.log(`${MARKS[`${holds}`]}${text}`);
    console.log(
      verdict.holds
        ? `${verdict.file} is what its manifest says.`
        : `${verdict.file} is NOT what its manifest says.`,
    );
    return verdict.holds ? 0 : 1;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

process.exitCode = await main().catch((error: unknown) => {
  const { code, path: missing } = error as { code?: unknown; path?: unknown };
  if (code === 'ENOENT') console.error(`There is no ${String(missing)}. Check the name and the folder.`);
  else console.error(error instanceof Error ? error.message : String(error));
  return 2;
});
