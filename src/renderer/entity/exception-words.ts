/** Which exceptions hold for an entity, tool by tool (sectool_exceptions_status). */
import type { AnswerOf } from '#shared/api/catalogue.ts';

type Row = AnswerOf<'scan.exceptions-status'>['rows'][number];

export interface ToolException {
  /** Left out for a status of no exception. */
  tone: 'none' | 'allowed' | 'blocked' | 'unknown';
  /** "Allowed by an exception"; an unknown status as the service wrote it. */
  words: string;
  detail: string | null;
}

/** null: the service said nothing of this tool, which is not the same as none. */
export function exceptionOf(rows: readonly Row[] | undefined, tool: string): ToolException | null {
  const row = rows?.find(({ sec_type }) => sec_type === tool);
  if (!row) return null;
  const detail = row.detail ?? null;
  const status = row.status.trim().toLowerCase();
  if (status === 'none') return { tone: 'none', words: 'No exception', detail };
  if (status === 'allowed') return { tone: 'allowed', words: 'Allowed by an exception', detail };
  if (status === 'blocked') return { tone: 'blocked', words: 'Blocked by an exception', detail };
  return { tone: 'unknown', words: row.status || 'Unknown', detail };
}
