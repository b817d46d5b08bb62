/** sql_queries/common/sectool_exceptions_status: the exceptions that match an entity, by tool. */
import type { MatchSubject } from '#shared/exceptions/match.ts';
import { rulingWords } from './exceptions.ts';
import type { ScanSubject } from './mail-source.ts';
import { scanDetailsOf } from './scan-details.ts';
import type { Store } from './store.ts';

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
export async function exceptionStatusOf(
  store: Store,
  subject: ScanSubject,
  match: MatchSubject,
): Promise<ExceptionStatus[]> {
  if (store.source.tenant === null) return [];
  const scans = await scanDetailsOf(store, subject);
  return Promise.all(
    scans
      .filter(({ applicable }) => applicable)
      .map(async ({ tool, label }) => {
        const ruling = await store.exceptions.ruling(tool, match);
        const entry = ruling && {
          status: ruling.list === 'allow' ? 'allowed' : 'blocked',
          exception_id: ruling.entry.id ?? null,
          detail: rulingWords(ruling),
        };
        return { sec_type: tool, label: label ?? null, ...(entry ?? NONE) };
      }),
  );
}
