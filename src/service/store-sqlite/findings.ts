/** sp_findings: weaknesses found in the tenant's own data, counted and listed from the tables. */
import type { Finding } from '#shared/model/entities.ts';
import type { SqliteStore } from './sqlite-store.ts';

interface Widget {
  id: string;
  label: string;
  severity: number;
  /** FROM and WHERE, for the columns below. */
  from: string;
  /** SQL of the entity's id, its app, its name, and since when. */
  entity: string;
  app: string;
  affected: string;
  time: string;
  detail: string;
  link: string;
}

const WIDGETS: readonly Widget[] = [
  {
    id: 'admins-without-mfa',
    label: 'Administrators without a second factor',
    severity: 5,
    from: 'users WHERE is_admin = 1 AND mfa = 0',
    entity: 'entity_id',
    app: 'saas',
    affected: 'email',
    time: 'last_login_at',
    detail: 'Signs in with a password alone and may change everything',
    link: 'users',
  },
  {
    id: 'found-not-quarantined',
    label: 'Malware in drives, not quarantined',
    severity: 5,
    from: "files WHERE verdict = 'found' AND is_quarantined = 0 AND is_deleted = 0",
    entity: 'entity_id',
    app: 'saas',
    affected: 'path',
    time: 'modified_at',
    detail: 'A tool found malware; the file can still be opened',
    link: 'files',
  },
  {
    id: 'public-files',
    label: 'Files that anyone with the link can open',
    severity: 4,
    from: 'files WHERE is_shared_publicly = 1 AND is_deleted = 0',
    entity: 'entity_id',
    app: 'saas',
    affected: 'path',
    time: 'modified_at',
    detail: 'Shared with anyone who has the link',
    link: 'files',
  },
  {
    id: 'scan-failed',
    label: 'Emails that a tool failed to scan',
    severity: 3,
    from: `(SELECT e.id AS id, e.entity_id AS entity_id, max(s.value ->> 'tool') AS tool, e.subject AS subject, e.received_at AS received_at
      FROM emails e, json_each(e.scans) s
      WHERE e.file_id IS NULL AND e.scans LIKE '%"status":"error"%' AND s.value ->> 'status' = 'error' GROUP BY e.id) WHERE true`,
    entity: 'entity_id',
    app: 'tool',
    affected: 'subject',
    time: 'received_at',
    detail: 'No verdict of this tool: what it would have found is not known',
    link: 'emails',
  },
  {
    id: 'groups-with-guests',
    label: 'Public groups with members outside',
    severity: 3,
    from: 'groups WHERE is_public = 1 AND external_members > 0',
    entity: 'entity_id',
    app: 'saas',
    affected: 'email',
    time: 'created_at',
    detail: 'Anyone may join, and people outside read along',
    link: 'groups',
  },
  {
    id: 'never-signed-in',
    label: 'Active accounts that never signed in',
    severity: 2,
    from: "users WHERE state = 'active' AND last_login_at IS NULL",
    entity: 'entity_id',
    app: 'saas',
    affected: 'email',
    time: 'created_at',
    detail: 'Nobody would notice if somebody else did',
    link: 'users',
  },
];

const MAX_FINDINGS = 5_000;

const count = (store: SqliteStore, from: string): number =>
  Number(store.db.prepare(`SELECT count(*) FROM ${from}`).pluck().get());

export const findingWidgets = (store: SqliteStore) =>
  WIDGETS.map(({ id, label, severity, from }) => ({ id, label, severity, count: count(store, from) }));

export function findingsOf(
  store: SqliteStore,
  widget: string | undefined,
  entityId: string | undefined,
): Finding[] | null {
  const widgets = WIDGETS.filter(({ id }) => widget === undefined || id === widget);
  if (widgets.length === 0) return null;
  return widgets.flatMap((kind) => {
    const only = entityId === undefined ? '' : ` AND ${kind.entity} = @entityId`;
    const rows = store.db
      .prepare<
        unknown[],
        {
          entity: string;
          app: string;
          affected: string | null;
          time: number | null;
        }
      >(
        `SELECT ${kind.entity} AS entity, ${kind.app} AS app, ${kind.affected} AS affected, ${kind.time} AS time
         FROM ${kind.from}${only} ORDER BY ${kind.time} DESC, id LIMIT ${MAX_FINDINGS}`,
      )
      .all({ entityId: entityId ?? null });
    return rows.map(({ entity, app, affected, time }) => ({
      id: `${kind.id}:${entity}`,
      title: kind.label,
      detail: kind.detail,
      severity: kind.severity,
      app,
      affected,
      time: time === null ? null : new Date(time).toISOString(),
      entity_id: entity,
      widget: kind.id,
    }));
  });
}

export function findingLinks(ids: readonly string[]): { id: string; url: string }[] {
  return ids.flatMap((id) => {
    const [widget, entity] = id.split(':', 2);
    const match = WIDGETS.find((candidate) => candidate.id === widget);
    return match && entity
      ? [{ id, url: `https://admin.aldermoor.example/${match.link}/${encodeURIComponent(entity)}` }]
      : [];
  });
}
