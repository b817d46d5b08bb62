/** The proof beside an exported file: what it holds, of what, and whether it is whole. */
import type { Job, LocalFilter, ResultColumn } from '#shared/bridge/operations.ts';
import type { Sort } from '#shared/model/entities.ts';
import { describeQuery, plainWords } from '#shared/query/describe.ts';
import type { RunPayload, SetRecord } from '../results/record.ts';
import type { Choice } from './chunk-sql.ts';
import type { Format } from './protocol.ts';

export interface Manifest {
  kind: 'parapet-export-manifest';
  version: 3;
  file: string;
  format: Format;
  bytes: number;
  sha256: string;
  /** The file inside the zip; null: there is no zip. */
  content: { file: string; bytes: number; sha256: string } | null;
  encryption: 'AES-256' | null;
  /** As the file was read back: its records, its header, and the entity ids it begins and ends with, if it has them. */
  rows: number;
  header: string[] | null;
  first_entity_id: string | null;
  last_entity_id: string | null;
  /** The last record says PARTIAL and why: it is no row, and not counted as one. A workbook says it in the sheets' names. */
  partial_record: boolean;
  /** Rows that the service announced for the query. */
  total_announced: number;
  /** Rows of the query on this machine when the file was written. */
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
  /** Of a workbook: its sheets, and cells that were longer than one may hold and end early. */
  sheets: number | null;
  cells_cut: number | null;
  /** Instants are written in this zone. */
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

/** What was asked, in words, every value whole; without the config at hand, fields go by their ids. */
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
