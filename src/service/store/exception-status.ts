/** sql_queries/common/sectool_exceptions_status: the exceptions that match an entity, by tool. */
import type { MatchSubject } from '#shared/exceptions/match.ts';
import { rulingOf } from '../store-sqlite/exceptions.ts';
import type { Store } from '../store-sqlite/store.ts';
import { rulingWords } from './exceptions.ts';
import type { ScanSubject } from './mail-source.ts';
import { scanDetailsOf } from './scan-details.ts';

export type ExceptionStatus = {
  sec_type: string;
  /** none, allowed or blocked. */
  status: string;
  label: string | null;
  /** The matching entry. */
  exception_id: string | null;
  /** Its description, in words. */
  detail: string | null;
};

const NONE = { status: 'none', exception_id: null, detail: null };

/** Every tool that scans the entity; for evidence no exceptions are known. */
export function exceptionStatusOf(
  store: Store,
  subject: ScanSubject,
  match: MatchSubject,
): ExceptionStatus[] {
  if (store.source.tenant === null) return [];
  return scanDetailsOf(store, subject)
    .filter(({ applicable }) => applicable)
    .map(({ tool, label }) => {
      const ruling = rulingOf(store, tool, match);
      const entry = ruling && {
        status: ruling.list === 'allow' ? 'allowed' : 'blocked',
        exception_id: ruling.entry.id ?? null,
        detail: rulingWords(ruling),
      };
      return { sec_type: tool, label: label ?? null, ...(entry ?? NONE) };
    });
}
