/** The proof beside an exported file: what it holds, of what, and whether it is whole. */
import type { Job, LocalFilter } from '#shared/bridge/operations.ts';
import type { Sort } from '#shared/model/entities.ts';
import type { RunPayload } from '../results/record.ts';
import type { Choice, Format } from './chunk-sql.ts';

export interface Manifest {
  kind: 'parapet-export-manifest';
  version: 1;
  file: string;
  format: Format;
  bytes: number;
  sha256: string;
  rows: number;
  /** Rows that the service announced for the query. */
  total_announced: number;
  /** Rows of the query on this machine when the file was written. */
  rows_fetched: number;
  completeness: 'complete' | 'PARTIAL';
  why: string | null;
  query: RunPayload;
  local_sort: Sort[];
  local_filter: LocalFilter | null;
  columns: { id: string; label: string }[];
  formulas: 'neutralised' | 'as they are';
  /** Instants are written in this zone. */
  clock: 'UTC';
  connection: string;
  app_version: string;
  fetched_at: string;
  started_at: string;
  finished_at: string;
}

export const manifestName = (file: string): string => `${file}.manifest.json`;

export const columnsOf = (choices: readonly Choice[]): Manifest['columns'] =>
  choices.map(({ id, label }) => ({ id, label }));

/** The manifest as a job's outcome carries it. */
export const outcomeOf = (manifest: Manifest, manifestFile: string | null): NonNullable<Job['outcome']> => ({
  file: manifest.file,
  rows: manifest.rows,
  bytes: manifest.bytes,
  sha256: manifest.sha256,
  completeness: manifest.completeness,
  manifestFile,
  manifest: JSON.parse(JSON.stringify(manifest)),
});
