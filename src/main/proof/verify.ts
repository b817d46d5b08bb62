/** Verifies a file against its manifest and says in words what holds, what does not, and what could not be checked. */
import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { ParapetError } from '#shared/bridge/errors.ts';
import type { OutputOf } from '#shared/bridge/operations.ts';
import { exact } from '#shared/model/format.ts';
import { type AnyManifest, anyManifest, MANIFEST_VERSIONS, manifestName } from '../files/manifest.ts';
import { lastIdOf } from './compare.ts';
import { type Found, type FoundFile, type ReadOptions, readBack, type Source } from './read-back.ts';
import { MalformedFile } from './scan.ts';

export type Verdict = OutputOf<'files.verify'>;
type Line = Verdict['lines'][number];

/** A manifest is a page of text; a larger file is not one. */
const MANIFEST_MAX = 16 * 1024 * 1024;

const sourceOf = (handle: FileHandle, size: number): Source => ({
  size,
  async read(position, length) {
    const bytes = Buffer.allocUnsafe(length);
    const { bytesRead } = await handle.read(bytes, 0, length, position);
    return bytes.subarray(0, bytesRead);
  },
});

function parseManifest(text: string, name: string): AnyManifest {
  const manifest = readText(text, name);
  if (manifest.version > MANIFEST_VERSIONS[manifest.kind])
    throw new ParapetError(
      'bad-file',
      `${name} is a manifest of version ${manifest.version}, which this version of Parapet does not know. Verify the file with a newer one.`,
    );
  return manifest;
}

function readText(text: string, name: string): AnyManifest {
  try {
    return anyManifest.parse(JSON.parse(text));
  } catch (cause) {
    throw new ParapetError(
      'bad-file',
      `${name} is not a manifest of Parapet. Choose the one that came with the file.`,
      {
        cause,
      },
    );
  }
}

export async function readManifest(path: string): Promise<AnyManifest> {
  const name = basename(path);
  const { size } = await stat(path);
  if (size > MANIFEST_MAX) throw new ParapetError('bad-file', `${name} is too large to be a manifest.`);
  return parseManifest(await readFile(path, 'utf8'), name);
}

/** The manifest beside a file; null when there is none. */
export async function manifestBeside(path: string): Promise<AnyManifest | null> {
  const there = await stat(manifestName(path)).catch(() => null);
  return there?.isFile() ? readManifest(manifestName(path)) : null;
}

const ok = (text: string): Line => ({ holds: true, text });
const no = (text: string): Line => ({ holds: false, text });
const note = (text: string): Line => ({ holds: null, text });

const same = (what: string, actual: string, claimed: string): Line =>
  actual === claimed
    ? ok(`${what}: ${actual}, as the manifest says.`)
    : no(`${what}: ${actual}; the manifest says ${claimed}.`);

const lines = {
  digest: (facts: Found, { bytes, sha256 }: { bytes: number; sha256: string }, of: string): Line[] => [
    same(`Size${of}`, `${exact(facts.bytes)} bytes`, `${exact(bytes)} bytes`),
    same(`SHA-256${of}`, facts.sha256, sha256),
  ],
  content(facts: Found, manifest: AnyManifest): Line[] {
    const { scanned } = facts;
    if (scanned === null) return [];
    const noted = manifest.partial_record === true;
    const results: Line[] = [];
    if (manifest.rows != null)
      results.push(same('Rows', exact(scanned.records - (noted ? 1 : 0)), exact(manifest.rows)));
    if (manifest.header !== undefined && manifest.rows !== 0) {
      const holds = JSON.stringify(scanned.header) === JSON.stringify(manifest.header);
      results.push(holds ? ok('Header: as the manifest says.') : no('Header: different from the manifest.'));
    }
    if (manifest.sheets != null && facts.sheets !== null)
      results.push(same('Sheets', exact(facts.sheets.length), exact(manifest.sheets)));
    if (manifest.first_entity_id != null)
      results.push(same('First entity ID', scanned.firstId ?? 'none', manifest.first_entity_id));
    if (manifest.last_entity_id != null)
      results.push(same('Last entity ID', lastIdOf(facts, noted) ?? 'none', manifest.last_entity_id));
    return results;
  },
};

/** Statements of a manifest that cannot all be true. Those of other files than exports lack some of them. */
function contradictions(manifest: AnyManifest): string[] {
  const { completeness, scope, rows, rows_fetched: fetched, total_announced: announced } = manifest;
  const isComplete = completeness === 'complete';
  const mismatches: string[] = [];
  if (isComplete && fetched != null && announced != null && fetched < announced)
    mismatches.push(`it says complete, and that ${exact(fetched)} of ${exact(announced)} rows were fetched`);
  if (rows != null && fetched != null && rows > fetched)
    mismatches.push(`it says ${exact(rows)} rows, and that ${exact(fetched)} were fetched`);
  if (isComplete && scope === 'everything' && rows != null && fetched != null && rows < fetched)
    mismatches.push(
      `it says everything and complete, and ${exact(rows)} of the ${exact(fetched)} rows fetched`,
    );
  if (isComplete && manifest.partial_record === true)
    mismatches.push('it says complete, and that the last record says PARTIAL');
  if (
    manifest.header != null &&
    manifest.columns != null &&
    manifest.header.length !== manifest.columns.length
  )
    mismatches.push(
      `it has ${exact(manifest.columns.length)} columns, and a header of ${exact(manifest.header.length)}`,
    );
  const { format, sheets } = manifest;
  if (sheets != null && (format !== 'xlsx' || sheets === 0 || sheets > Math.max(1, rows ?? sheets)))
    mismatches.push(
      `it says ${exact(sheets)} sheets for ${exact(rows ?? 0)} rows of ${format ?? 'no format'}`,
    );
  return mismatches;
}

const completeness = (manifest: AnyManifest): Line[] => {
  const contradicting = contradictions(manifest);
  if (contradicting.length > 0)
    return contradicting.map((words) => no(`The manifest contradicts itself: ${words}.`));
  const { completeness, why } = manifest;
  if (completeness == null) return [];
  if (completeness === 'complete')
    return [note('The manifest says that the file has every row of its query.')];
  return [note(`The manifest says PARTIAL: ${why ?? 'no reason is given.'}`)];
};

const idOf = ({ columns }: AnyManifest): ReadOptions['id'] => {
  const index = columns?.findIndex(({ id }) => id === 'entity_id') ?? -1;
  return index < 0 ? null : { index, key: 'entity_id' };
};

/** What the file contains, or why that could not be determined. */
async function inspect(file: Source, how: ReadOptions): Promise<FoundFile | string> {
  try {
    return await readBack(file, how);
  } catch (error) {
    if (error instanceof MalformedFile) return error.message;
    throw error;
  }
}

export interface VerifyOptions {
  /** Null to use the manifest inside the zip. */
  manifest: AnyManifest | null;
  password: string | null;
  /** Folder in which a workbook from an encrypted zip is unpacked while it is read. */
  scratch: string;
}

async function insideOf(
  file: Source,
  { manifest, password, scratch }: VerifyOptions,
): Promise<{ lines: Line[]; manifest: AnyManifest | null }> {
  const how = {
    format: manifest?.format ?? null,
    zip: true,
    password,
    id: manifest ? idOf(manifest) : null,
    scratch,
  };
  let facts = await inspect(file, how);
  if (typeof facts === 'string') return { lines: [no(`The file ${facts}.`)], manifest: null };
  if (facts.manifest === null) return { lines: [no('There is no manifest inside the zip.')], manifest: null };
  const inner = parseManifest(Buffer.from(facts.manifest).toString('utf8'), 'The manifest inside the zip');
  if (inner.format != null && manifest?.format == null) {
    facts = await inspect(file, { ...how, format: inner.format, id: idOf(inner) });
    if (typeof facts === 'string') return { lines: [no(`The file inside ${facts}.`)], manifest: inner };
  }
  const content = facts.inside;
  if (content === null) return { lines: [no('The zip contains no file.')], manifest: inner };
  return {
    lines: [...lines.digest(content, inner, ` of ${content.file} inside`), ...lines.content(content, inner)],
    manifest: inner,
  };
}

/** Rejects file system errors, and `bad-file` when there is no manifest at all. */
export async function verifyFile(path: string, options: VerifyOptions): Promise<Verdict> {
  const { manifest, password } = options;
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    const file = sourceOf(handle, size);
    const plain = { format: null, zip: false, password: null, id: null, scratch: options.scratch };
    const whole = await readBack(file, plain);
    const results: Line[] = manifest === null ? [] : lines.digest(whole, manifest, '');
    let claims = manifest;
    const isZip =
      manifest === null || manifest.kind === 'parapet-sealed-manifest' || manifest.content != null;
    if (manifest?.kind === 'parapet-sealed-manifest' && password === null)
      results.push(note('The content was not checked: that needs the password of the zip.'));
    else if (isZip) {
      const inside = await insideOf(file, options);
      results.push(...inside.lines);
      claims = inside.manifest ?? manifest;
    } else if (manifest.format != null) {
      const facts = await inspect(file, { ...plain, format: manifest.format, id: idOf(manifest) });
      results.push(
        ...(typeof facts === 'string' ? [no(`The file ${facts}.`)] : lines.content(facts, manifest)),
      );
    }
    if (claims === null)
      throw new ParapetError(
        'bad-file',
        `${basename(path)} has no manifest beside it or inside it. Choose the manifest that came with it.`,
      );
    if (manifest !== null && manifest.file !== basename(path))
      results.push(note(`The manifest was written for a file named ${manifest.file}.`));
    results.push(...completeness(claims));
    return { file: basename(path), holds: results.every(({ holds }) => holds !== false), lines: results };
  } finally {
    await handle.close();
  }
}
