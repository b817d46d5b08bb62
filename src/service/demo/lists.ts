/** Custom lists of the demo tenant: sets of values that conditions refer to by name. */
import { customLists } from '../store-sqlite/lists.ts';
import type { Store } from '../store-sqlite/store.ts';
import { CAMPAIGNS } from './campaigns.ts';
import type { Person } from './organisation.ts';

const PARTNERS = ['harbour-freight.example', 'kestrel-paper.example', 'granite-legal.example'];
const FREE_HOSTS = ['docs-view.invalid', 'portal-login.invalid', 'forms.harbour-freight.example'];
const RISKY = ['html', 'htm', 'iso', 'zip', 'exe', 'js', 'docm', 'xlsm'];

export function saveLists(store: Store, staff: readonly Person[]): void {
  const lists = customLists(store);
  const of = (test: (person: Person) => boolean) => staff.filter(test).map(({ email }) => email);
  lists.add(
    'executives',
    'Executives',
    of(({ title, department }) => department === 'Board' || /director|chair/i.test(title)),
  );
  lists.add(
    'finance',
    'Finance approvers',
    of(({ department, title }) => department === 'Finance' && /manager|director/i.test(title)),
  );
  lists.add('partners', 'Trusted partner domains', PARTNERS);
  lists.add('campaign-senders', 'Senders of known campaigns', [
    ...new Set(CAMPAIGNS.flatMap(({ senders }) => senders.map(({ domain }) => domain))),
  ]);
  lists.add('watched-hosts', 'Watched link hosts', FREE_HOSTS);
  lists.add('risky-extensions', 'Risky file extensions', RISKY);
}
