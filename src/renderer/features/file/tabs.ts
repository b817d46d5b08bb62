import type { TabInfo } from '#renderer/ui/tabs-strip.tsx';
import { formatGridCount } from '#shared/model/format.ts';
import type { FileReads } from './use-file.ts';

export const FILE_TABS = ['overview', 'stack', 'permissions', 'events', 'findings', 'debug'] as const;
export type FileTab = (typeof FILE_TABS)[number];

const LABELS: Readonly<Record<FileTab, string>> = {
  overview: 'Overview',
  stack: 'Security stack',
  permissions: 'Permissions',
  events: 'Events',
  findings: 'Findings',
  debug: 'Debug links',
};

/** The tabs with the counts that are known; an unknown count is left away, never zero. */
export function tabInfos(file: FileReads): TabInfo<FileTab>[] {
  const people = file.permissions.data;
  const counts: Partial<Record<FileTab, number | null | undefined>> = {
    stack: file.tools.stack?.rows.length,
    permissions: people ? (people.total_rows ?? people.rows.length) : null,
    events: file.events.total,
  };
  return FILE_TABS.map((id) => {
    const count = counts[id];
    return { id, label: LABELS[id], ...(typeof count === 'number' ? { count: formatGridCount(count) } : {}) };
  });
}
