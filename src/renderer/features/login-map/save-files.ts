/** The rows of the map as a file. */
import { saveFile } from '#renderer/bridge/save-file.ts';
import type { Bridge } from '#shared/bridge/bridge.ts';
import type { WrittenFile } from '#shared/bridge/operations.ts';
import type { ClockSetting } from '#shared/model/clock.ts';
import { jsonText } from '#shared/model/json-text.ts';
import { csvRow } from '#shared/model/spreadsheet-safe.ts';
import type { LoginClient } from './login-client.ts';
import { RECORD_COLUMNS } from './login-client.ts';

const ROWS = 5000;

/** One record as a line; CSV cells are formula-safe. */
export function lineOf(format: 'csv' | 'ndjson', record: readonly (string | number | null)[]): string {
  if (format === 'csv') return csvRow(record);
  return `${jsonText(Object.fromEntries(RECORD_COLUMNS.map((id, index) => [id, record[index] ?? null])))}\n`;
}

const APP = RECORD_COLUMNS.indexOf('app');
/** The record with the app's label, as on screen. */
const withApp = (record: readonly (string | number | null)[], nameOf: (module: string) => string) =>
  record.map((value, index) => (index === APP ? nameOf(String(value)) : value));

/** Exports all rows that pass the filter now, in the order shown, and checks their number against the screen's. */
export function saveRows(
  bridge: Bridge,
  client: LoginClient,
  {
    name,
    format,
    count,
    clock,
    nameOf,
    missing,
  }: {
    name: string;
    format: 'csv' | 'ndjson';
    count: number;
    clock: ClockSetting;
    nameOf: (module: string) => string;
    /** Why the rows on screen are not all of them, or null if they are. */
    missing: string | null;
  },
): Promise<WrittenFile | null> {
  const recordsFrom = (start: number) => client.ask('records', { start, end: start + ROWS, clock });
  // Started before the dialog, which may stay open for long: the worker keeps a snapshot of the current rows.
  const begun = recordsFrom(0);
  // Not awaited if the dialog is cancelled.
  begun.catch(() => undefined);
  return saveFile(
    bridge,
    `${name}.${format}`,
    format,
    { what: 'Rows of the login map', entries: count, missing },
    async function* () {
      if (format === 'csv') yield { text: csvRow([...RECORD_COLUMNS]) };
      let written = 0;
      for (let records = await begun; records.length > 0; ) {
        written += records.length;
        yield { text: records.map((record) => lineOf(format, withApp(record, nameOf))).join('') };
        records = written < count ? await recordsFrom(written) : [];
      }
      if (written !== count)
        throw new Error(`${written} of ${count} rows could be read; the data changed during the export.`);
    },
  );
}
