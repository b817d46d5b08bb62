/** Labels of a file's profile. */
import type { FileTab } from './file-screen.tsx';

export const TAB_LABELS: Readonly<Record<FileTab, string>> = {
  overview: 'Overview',
  stack: 'Security stack',
  permissions: 'Permissions',
  events: 'Events',
  findings: 'Findings',
  debug: 'Debug links',
};
