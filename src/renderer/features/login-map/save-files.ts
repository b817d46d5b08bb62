/** Files of the map: pictures and rows made here, written by the main side through a grant. */
import type { Bridge } from '#shared/bridge/bridge.ts';
import { FILE_CHUNK_MAX, type WrittenFile } from '#shared/bridge/operations.ts';
import type { ClockSetting } from '#shared/model/clock.ts';
import { csvRow } from '#shared/model/spreadsheet-safe.ts';
import type { LoginClient } from './login-client.ts';
import { RECORD_COLUMNS } from './login-client.ts';

type Chunk = { text: string } | { base64: string };

/** Asks where to save, then writes chunk after chunk; null: cancelled. What fails leaves no file. */
async function save(
  bridge: Bridge,
  name: string,
  kind: 'csv' | 'ndjson' | 'any',
  facts: { what: string; entries: number | null },
  chunks: () => AsyncIterable<Chunk>,
): Promise<WrittenFile | null> {
  const grant = await bridge.call('dialogs.save', { suggestedName: name, kind });
  if (grant === null) return null;
  const { fileId } = await bridge.call('files.open', { grantId: grant.grantId, ...facts });
  try {
    for await (const chunk of chunks()) await bridge.call('files.append', { fileId, chunk });
    return await bridge.call('files.finish', { fileId });
  } catch (error) {
    await bridge.call('files.discard', { fileId }).catch(() => undefined);
    throw error;
  }
}

/** Below the limit of a chunk, and whole groups of three bytes. */
const BYTES = Math.floor(FILE_CHUNK_MAX / 4 / 3) * 3;

function base64Of(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}

const PICTURE = { what: 'A picture of the login map', entries: null };
const isHigh = (unit: number) => unit >= 0xd800 && unit < 0xdc00;

export async function savePng(bridge: Bridge, name: string, blob: Blob): Promise<WrittenFile | null> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  return save(bridge, `${name}.png`, 'any', PICTURE, async function* () {
    for (let at = 0; at < bytes.length; at += BYTES)
      yield { base64: base64Of(bytes.subarray(at, at + BYTES)) };
  });
}

export const saveSvg = (bridge: Bridge, name: string, svg: string): Promise<WrittenFile | null> =>
  save(bridge, `${name}.svg`, 'any', PICTURE, async function* () {
    for (let at = 0; at < svg.length; ) {
      // A character of two units is not cut in half: each half alone has no UTF-8.
      const end = at + BYTES - (isHigh(svg.charCodeAt(at + BYTES - 1)) ? 1 : 0);
      yield { text: svg.slice(at, end) };
      at = end;
    }
  });

const ROWS = 5000;

/** One record as a line; CSV cells are formula-safe. */
export function lineOf(format: 'csv' | 'ndjson', record: readonly (string | number | null)[]): string {
  if (format === 'csv') return csvRow(record);
  return `${JSON.stringify(Object.fromEntries(RECORD_COLUMNS.map((id, at) => [id, record[at] ?? null])))}\n`;
}

const APP = RECORD_COLUMNS.indexOf('app');
/** The record with its app by label, as on screen. */
const withApp = (record: readonly (string | number | null)[], nameOf: (module: string) => string) =>
  record.map((value, at) => (at === APP ? nameOf(String(value)) : value));

/** Every row under the filter in the order shown, counted against what the screen says. */
export function saveRows(
  bridge: Bridge,
  client: LoginClient,
  {
    name,
    format,
    count,
    clock,
    nameOf,
  }: {
    name: string;
    format: 'csv' | 'ndjson';
    count: number;
    clock: ClockSetting;
    /** The label of an app by its id. */
    nameOf: (module: string) => string;
  },
): Promise<WrittenFile | null> {
  return save(
    bridge,
    `${name}.${format}`,
    format,
    { what: 'Rows of the login map', entries: count },
    async function* () {
      if (format === 'csv') yield { text: csvRow([...RECORD_COLUMNS]) };
      let written = 0;
      while (written < count) {
        const records = await client.ask('records', {
          start: written,
          end: Math.min(count, written + ROWS),
          clock,
        });
        if (records.length === 0) break;
        written += records.length;
        yield { text: records.map((record) => lineOf(format, withApp(record, nameOf))).join('') };
      }
      if (written !== count)
        throw new Error(`${written} of ${count} rows could be read; the data changed during the export.`);
    },
  );
}
