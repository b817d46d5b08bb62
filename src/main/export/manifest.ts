/** The manifest beside an exported file: what the file holds, of which query, and whether it is complete. */
import type { RunPayload } from '#shared/api/catalogue/queries.ts';
import type { ExportFormat, Job, LocalFilter, ResultColumn } from '#shared/bridge/operations.ts';
import type { Sort } from '#shared/model/entities.ts';
import { describeQuery, plainWords } from '#shared/query/describe.ts';
import type { SetRecord } from '../results/record.ts';
import type { Choice } from './chunk-sql.ts';

export interface Manifest {
  kind: 'parapet-export-manifest';
  version: 3;
  file: string;
  format: ExportFormat;
  bytes: number;
  sha256: string;
  /** The file inside the zip; null when there is no zip. */
  content: { file: string; bytes: number; sha256: string } | null;
  encryption: 'AES-256' | null;
  /**
   * As found when the file was read back: its records, its header, and its first and last entity id, if it has an id
   * column.
   */
  rows: number;
  header: string[] | null;
  first_entity_id: string | null;
  last_entity_id: string | null;
  /** The last record says PARTIAL and why, and is not counted as a row. A workbook says it in its sheet names. */
  partial_record: boolean;
  /** Rows that the service announced for the query. */
  total_announced: number;
  /** Rows of the query that had been fetched when the file was written. */
  rows_fetched: number;
  completeness: 'complete' | 'PARTIAL';
  why: string | null;
  scope: 'everything' | 'filtered' | 'selection';
  query: RunPayload;
  query_in_words: string;
  local_sort: Sort[];
  local_filter: LocalFilter | null;
  columns: { id: string; label: string; type: string }[];
  formulas: 'neutralised' | 'as they are' | 'texts, never formulas';
  byte_order_mark: boolean;
  /** For a workbook: its sheets, and the number of cells that were cut at Excel's limit. */
  sheets: number | null;
  cells_cut: number | null;
  /** Time zone of the instants in the file. */
  clock: string;
  connection: string;
  app_version: string;
  fetched_at: string;
  started_at: string;
  finished_at: string;
}

export const columnsOf = (
  choices: readonly Choice[],
  columns: readonly ResultColumn[],
): Manifest['columns'] =>
  choices.map(({ id, label }) => ({
    id,
    label,
    type: columns.find((column) => column.id === id)?.type ?? 'id',
  }));

/** The query in words, every value in full. Fields appear by id, since the query config may not be at hand. */
export const wordsOf = ({ payload }: SetRecord): string =>
  plainWords(
    describeQuery({
      condition: payload.condition,
      config: { fields: [], operators: [] },
      domain: payload.query_domain,
      saas: payload.saas_id,
      exact: true,
    }),
  );

/** The manifest in the form of a job's outcome. */
export const outcomeOf = (manifest: Manifest, manifestFile: string | null): NonNullable<Job['outcome']> => ({
  file: manifest.file,
  rows: manifest.rows,
  bytes: manifest.bytes,
  sha256: manifest.sha256,
  completeness: manifest.completeness,
  manifestFile,
  manifest: JSON.parse(JSON.stringify(manifest)),
});
