/** Permissions on a demo file, generated on demand; any page takes the same time. */
import type { Permission } from '#shared/model/entities.ts';
import type { FileRow } from '../store/files.ts';
import type { Store } from '../store/store.ts';
import { hashOf, random } from './prng.ts';

type Flags = Pick<
  Permission,
  | 'can_view'
  | 'can_download'
  | 'can_edit'
  | 'can_delete'
  | 'can_preview'
  | 'can_upload'
  | 'can_invite'
  | 'can_share'
>;

const flags = (letters: string): Flags => ({
  can_view: letters.includes('v'),
  can_download: letters.includes('d'),
  can_edit: letters.includes('e'),
  can_delete: letters.includes('x'),
  can_preview: letters.includes('p'),
  can_upload: letters.includes('u'),
  can_invite: letters.includes('i'),
  can_share: letters.includes('s'),
});

const ROLES: readonly (readonly [role: string, flags: string])[] = [
  ['editor', 'vdepu'],
  ['viewer', 'vdp'],
  ['viewer', 'vdp'],
  ['commenter', 'vp'],
  ['previewer', 'p'],
  ['uploader', 'u'],
  ['co-owner', 'vdexpuis'],
];

const OUTSIDE = ['partner.example', 'supplier.example', 'audit.example', 'webmail.example'];

interface Holder {
  entity_id: string;
  name: string;
  email: string;
}

/** Number of entries: usually a handful, sometimes a whole department. */
function permissionCount(row: FileRow, people: number): number {
  const rng = random(`${row.entity_id}/permissions`);
  const dice = rng.next();
  const inside = dice < 0.55 ? rng.int(0, 4) : dice < 0.93 ? rng.int(5, 60) : rng.int(120, 420);
  return 1 + fixedCount(row) + Math.min(inside, Math.max(0, people - 1));
}

const fixedCount = (row: FileRow): number =>
  (row.is_shared_publicly === 1 ? 1 : 0) + (row.is_shared_externally === 1 ? 2 : 0);

/** The entry at an index: the owner first, then external ones, then colleagues. */
function permissionAt(row: FileRow, place: number, holder: Holder | null): Permission {
  if (place === 0) {
    const email = row.owner ?? 'unknown@aldermoor.example';
    return {
      username: email.slice(0, email.indexOf('@')),
      userId: `u-${hashOf(email) >>> 0}`,
      email,
      roles: ['owner'],
      ...flags('vdexpuis'),
    };
  }
  if (row.is_shared_publicly === 1 && place === 1)
    return {
      username: 'Anyone with the link',
      userId: 'anyone',
      email: null,
      roles: ['viewer', 'link'],
      ...flags('vdp'),
    };
  const rng = random(`${row.entity_id}/permission/${place}`);
  if (place <= fixedCount(row)) {
    const email = `${rng.pick(['m.keller', 'office', 'j.rossi', 'sales'])}@${OUTSIDE[(hashOf(row.entity_id) + place) & 3]}`;
    const edits = rng.chance(0.3);
    return {
      username: email.slice(0, email.indexOf('@')),
      userId: `x-${hashOf(`${email}${place}`) >>> 0}`,
      email,
      roles: [edits ? 'editor' : 'viewer', 'guest'],
      ...flags(edits ? 'vdep' : 'vdp'),
    };
  }
  const [role, letters] = rng.pick(ROLES);
  const viaGroup = rng.chance(0.25);
  return {
    username: holder?.name ?? null,
    userId: holder?.entity_id ?? `u-${place}`,
    email: holder?.email ?? null,
    roles: viaGroup ? [role, `group:${row.department ?? 'Everyone'}`] : [role],
    ...flags(letters),
  };
}

/** The colleague of an entry, as an index of the directory, or null if the entry is another one. */
function holderIndex(row: FileRow, place: number, people: number): number | null {
  const inside = place - fixedCount(row) - 1;
  if (inside < 0 || people === 0) return null;
  // A step coprime to the number of people visits everybody once.
  const start = (hashOf(row.entity_id) >>> 0) % people;
  return (start + inside * stepFor(people)) % people;
}

function stepFor(people: number): number {
  let step = 7;
  const share = (a: number, b: number): number => (b === 0 ? a : share(b, a % b));
  while (share(step, people) !== 1) step += 2;
  return step;
}

export async function filePermissions({ people: users }: Store, row: FileRow, from: number, to: number) {
  const people = await users.count();
  const total = permissionCount(row, people);
  const rows: Permission[] = [];
  for (let place = from; place < Math.min(to, total); place += 1) {
    const index = holderIndex(row, place, people);
    const [holder = null] = index === null ? [] : await users.range(index, 1);
    rows.push(permissionAt(row, place, holder));
  }
  return { rows, total_rows: total };
}
