/** Pages of the user guide: the files of docs/guide, in order; `also`: additional search words. */
import { openScreen } from './navigation.ts';
import { setTabPart } from './tabs.ts';

export const GUIDE_PAGES = [
  { id: 'start', label: 'Start', also: 'first steps connection tenant demo offline credentials keychain' },
  { id: 'evidence', label: 'Evidence', also: 'folder mail eml mbox maildir import sign-in logs incident' },
  { id: 'queries', label: 'Queries', also: 'builder conditions results facets columns layout save import' },
  { id: 'triage', label: 'Triage by keyboard', also: 'keys shortcuts hotkeys verdict actions quarantine' },
  { id: 'exports', label: 'Exports', also: 'csv xlsx json verify manifest hash password partial complete' },
  {
    id: 'troubleshooting',
    label: 'Troubleshooting',
    also: 'problem error port token passphrase damaged log',
  },
] as const;
export type GuidePageId = (typeof GUIDE_PAGES)[number]['id'];

/** Opens the guide, at a page or where it was left. */
export function openGuide(page?: GuidePageId): void {
  const tab = openScreen('guide');
  if (page !== undefined) setTabPart(tab, page);
}
