/** Custom lists of the demo tenant: sets of values that conditions refer to by name. */
import type { Store } from '../store/store.ts';
import { CAMPAIGNS } from './campaigns.ts';
import type { Person } from './organisation.ts';

const PARTNERS = ['harbour-freight.example', 'kestrel-paper.example', 'granite-legal.example'];
const FREE_HOSTS = ['docs-view.invalid', 'portal-login.invalid', 'forms.harbour-freight.example'];
const RISKY = ['html', 'htm', 'iso', 'zip', 'exe', 'js', 'docm', 'xlsm'];

export async function saveLists({ lists }: Store, staff: readonly Person[]): Promise<void> {
  const of = (test: (person: Person) => boolean) => staff.filter(test).map(({ email }) => email);
  await lists.add(
    'executives',
    'Executives',
    of(({ title, department }) => department === 'Board' || /director|chair/i.test(title)),
  );
  await lists.add(
    'finance',
    'Finance approvers',
    of(({ department, title }) => department === 'Finance' && /manager|director/i.test(title)),
  );
  await lists.add('partners', 'Trusted partner domains', PARTNERS);
  await lists.add('campaign-senders', 'Senders of known campaigns', [
    ...new Set(CAMPAIGNS.flatMap(({ senders }) => senders.map(({ domain }) => domain))),
  ]);
  await lists.add('watched-hosts', 'Watched link hosts', FREE_HOSTS);
  await lists.add('risky-extensions', 'Risky file extensions', RISKY);
}
