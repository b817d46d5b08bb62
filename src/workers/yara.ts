/** Compiles rules in YARA by YARA-X as WebAssembly. Only in a thread that can be ended: a rule may take as long as it likes. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Compiler, initSync, type Rules } from '@virustotal/yara-x';

/** A text that is no rule in YARA, in words with the line. */
export class YaraError extends Error {
  override readonly name = 'YaraError';
}

/** The memory of WebAssembly, once it has started. */
let memory: { readonly buffer: ArrayBufferLike } | null = null;

function start(): void {
  if (memory !== null) return;
  const path = createRequire(import.meta.url)
    .resolve('@virustotal/yara-x')
    .replace(/\.js$/, '_bg.wasm');
  ({ memory } = initSync({ module: readFileSync(path) }));
}

/** Bytes that the compiled rules and the scans before hold. */
export const yaraMemory = (): number => memory?.buffer.byteLength ?? 0;

/** The first error of the compiler's report: `error[E025]: unknown pattern …  --> line:3:13`. */
function wordsOf(report: string): string {
  const [, message, line, column] = /^error(?:\[\w+\])?: (.*)\n\s*--> line:(\d+):(\d+)/m.exec(report) ?? [];
  if (message === undefined) return report.split('\n', 1)[0]!.slice(0, 300);
  const [, hint] = /^\s*\|\s*[\^-]+ (.+)$/m.exec(report) ?? [];
  return `Line ${line}, column ${column}: ${message}${hint === undefined ? '' : ` (${hint.trim().slice(0, 160)})`}.`;
}

/** Throws `YaraError`. */
export function compileYara(text: string): Rules {
  start();
  const compiler = new Compiler();
  try {
    compiler.addSource(text);
    return compiler.build();
  } catch (error) {
    throw new YaraError(wordsOf(error instanceof Error ? error.message : String(error)));
  } finally {
    compiler.free();
  }
}
