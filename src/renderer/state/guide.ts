/** Pages of the user guide: the files of docs/guide, in order; `also` is additional search words. */
import { openScreen } from './navigation.ts';
import { setTabPart } from './tabs.ts';

export const GUIDE_PAGES = [
  { id: 'start', label: 'Start', also: 'first steps connection tenant demo offline credentials keychain' },
  { id: 'options', label: 'Options', also: 'command line start port profile folder host connect policy' },
  { id: 'evidence', label: 'Evidence', also: 'folder mail eml mbox maildir import incident' },
  { id: 'sign-ins', label: 'Sign-in logs', also: 'entra okta csv json login map zone columns' },
  { id: 'queries', label: 'Queries', also: 'builder conditions results facets columns layout save import' },
  { id: 'schedules', label: 'Schedules', also: 'send by email daily weekly monthly recipients password' },
  { id: 'triage', label: 'Triage by keyboard', also: 'keys shortcuts hotkeys verdict actions quarantine' },
  { id: 'response', label: 'Actions', also: 'actions release request rescan undo' },
  { id: 'exceptions', label: 'Exceptions', also: 'allow block list blast radius paste' },
  { id: 'stack', label: 'Security stack', also: 'tools apps licence state order app store' },
  { id: 'roles', label: 'Roles', also: 'permissions admin end user disabled may not' },
  { id: 'exports', label: 'Exports', also: 'csv xlsx json verify manifest hash password partial complete' },
  { id: 'limits', label: 'Limits', also: 'most size bytes number maximum too large' },
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
