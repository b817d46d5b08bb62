import type { FileProfile } from '#shared/model/entities.ts';
import type { EntityState } from './entity-state.ts';
import type { Tenant } from './mail-source.ts';
import type { ScanRecord } from './records.ts';
import type { Store } from './store.ts';

export interface FileRow {
  id: number;
  entity_id: string;
  saas: string;
  title: string;
  path: string | null;
  mime_type: string | null;
  size: number | null;
  md5: string | null;
  sha1: string | null;
  sha256: string | null;
  owner: string | null;
  department: string | null;
  created_at: number;
  modified_at: number;
  verdict: string;
  verdict_code: string | null;
  is_quarantined: number;
  is_vault: number;
  is_deleted: number;
  is_shared_externally: number;
  is_shared_publicly: number;
}

const iso = (ms: number): string => new Date(ms).toISOString();

export async function fileProfileOf(store: Store, row: FileRow): Promise<FileProfile> {
  const state = await store.entities.state(row.entity_id);
  const policy = { at: row.modified_at + 45_000, by: 'policy', reason: 'Malware' };
  const quarantine = row.is_quarantined === 1 ? (state.quarantine ?? policy) : null;
  return {
    entity_id: row.entity_id,
    entity_type: 'file',
    saas: row.saas,
    title: row.title,
    size: row.size,
    path: row.path,
    mime_type: row.mime_type,
    md5: row.md5,
    sha1: row.sha1,
    sha256: row.sha256,
    is_quarantined: row.is_quarantined === 1,
    is_vault: row.is_vault === 1,
    is_deleted: row.is_deleted === 1,
    is_shared_externally: row.is_shared_externally === 1,
    is_shared_publicly: row.is_shared_publicly === 1,
    owner: row.owner,
    department: row.department,
    created: iso(row.created_at),
    modified: iso(row.modified_at),
    verdict: row.verdict,
    verdict_code: row.verdict_code,
    quarantine_info:
      quarantine === null
        ? { quarantined: false }
        : { quarantined: true, time: iso(quarantine.at), by: quarantine.by, reason: quarantine.reason },
    entity_identifier: state.identifier ?? null,
    pending_actions: await store.entities.pending(row.entity_id),
  };
}

/** Scan results of a file: as stored since a rescan, before that derived from its verdict. */
export const fileScans = (row: FileRow, { scans }: EntityState, tenant: Tenant | null): ScanRecord[] =>
  scans ?? tenant?.fileScans(row.verdict) ?? [];
