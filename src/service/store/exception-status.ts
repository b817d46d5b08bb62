/** sql_queries/common/sectool_exceptions_status: which exceptions hold for an entity, tool by tool. */
import type { ScanSubject } from './scan-details.ts';
import { scanDetailsOf } from './scan-details.ts';
import type { Store } from './store.ts';

export type ExceptionStatus = {
  sec_type: string;
  /** none, or what the entity was asked for. */
  status: string;
  label: string | null;
};

/** Every tool that looks at the entity; over evidence there are no exceptions to know of. */
export function exceptionStatusOf(store: Store, subject: ScanSubject): ExceptionStatus[] {
  if (subject.evidence) return [];
  return scanDetailsOf(store, subject)
    .filter(({ applicable }) => applicable)
    .map(({ tool, label }) => ({ sec_type: tool, status: 'none', label: label ?? null }));
}
