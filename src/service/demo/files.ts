import type { FileRecord, MessageRecord } from '../store/records.ts';
import type { Person } from './organisation.ts';
import { random } from './prng.ts';
import { documentationIp } from './senders.ts';

const DAY = 86_400_000;
const TYPES = [
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['pdf', 'application/pdf'],
  ['png', 'image/png'],
  ['zip', 'application/zip'],
  ['txt', 'text/plain'],
] as const;
const TITLES = [
  'Budget',
  'Contract',
  'Salaries',
  'Route plan',
  'Photos',
  'Minutes',
  'Design',
  'Backlog',
  '機密 計画',
  'План',
  'Καταλόγος',
  'قائمة',
  'Notes',
];
const DRIVES = ['office365_onedrive', 'office365_onedrive', 'office365_sharepoint', 'dropbox'];

export function fileRecords(
  staff: readonly Person[],
  seed: number,
  anchor: number,
  count: number,
): FileRecord[] {
  const rng = random(`${seed}/files`);
  return Array.from({ length: count }, () => {
    const owner = rng.pick(staff);
    const [extension, mimeType] = rng.pick(TYPES);
    const title = `${rng.pick(TITLES)} ${rng.int(1, 9999)}.${extension}`;
    const created = anchor - Math.floor(rng.next() ** 2 * 900 * DAY);
    const dice = rng.next();
    const verdict =
      dice < 0.004 ? 'found' : dice < 0.012 ? 'suspicious' : dice < 0.03 ? 'not-scanned' : 'clean';
    return {
      entityId: rng.hex(32),
      saas: rng.pick(DRIVES),
      title,
      path: `/${owner.department}/${rng.int(2019, 2026)}/${title}`,
      mimeType,
      size: Math.floor(rng.next() ** 3 * 40_000_000) + 200,
      md5: rng.hex(32),
      sha1: rng.hex(40),
      sha256: rng.hex(64),
      owner: owner.email,
      department: owner.department,
      createdAt: created,
      modifiedAt: created + Math.floor(rng.next() * (anchor - created)),
      verdict,
      verdictCode: verdict === 'found' ? 'malw' : verdict === 'clean' ? 'clean' : null,
      isQuarantined: verdict === 'found' && rng.chance(0.6),
      isVault: rng.chance(0.01),
      isDeleted: rng.chance(0.05),
      isSharedExternally: rng.chance(0.12),
      isSharedPublicly: rng.chance(0.03),
      extension,
      label: rng.chance(0.2)
        ? null
        : SECRET.test(title)
          ? rng.pick(['Confidential', 'Strictly confidential', 'Internal'])
          : rng.pick(LABELS),
      downloads: rng.skewed(800, 7),
    };
  });
}

const LABELS = ['Internal', 'Internal', 'Public', 'Confidential', 'Strictly confidential'];
const SECRET = /Salaries|Contract|機密|Budget/;

const LINES = [
  'Can somebody look at order ####?',
  'Truck ## is in the yard, dock #',
  'Container ######## cleared customs',
  'Did anyone else get the mail about invoice INV-#####?',
  'Please do not click on it, forward it to security',
  'Ticket ##### is yours now',
  'Rota for week ## is out',
  '請求書 ##### を確認してください',
  'Paleta ### dotarła',
  'Rechnung ##### ist bezahlt',
  'I am out until ##:30',
  'The truck is late again',
  'New numbers are in the sheet',
  '了解しました',
  'Danke!',
  'Готово',
  'Password for the scanner is on the note',
  'See https://docs-view.invalid/s/hq81 please',
  'The form is at https://forms.harbour-freight.example/r/####',
  'Sign in again here: https://portal-login.invalid/m/####',
  'Lunch?',
  'Meeting moved to 15:00',
];

export function messageRecords(
  staff: readonly Person[],
  seed: number,
  anchor: number,
  count: number,
): MessageRecord[] {
  const rng = random(`${seed}/messages`);
  return Array.from({ length: count }, () => {
    const line = rng.chance(0.01) ? `Try the old portal at ${documentationIp(rng)}` : rng.pick(LINES);
    const text = line.replace(/#/g, () => String(rng.int(0, 9)));
    const host = /https:\/\/([^/ ]+)/.exec(text)?.[1] ?? null;
    const link = host !== null;
    const verdict = !link
      ? 'clean'
      : host.endsWith('.invalid')
        ? rng.pick(['found', 'found', 'suspicious', 'clean'])
        : 'clean';
    const isExternal = rng.chance(link ? 0.5 : 0.04);
    return {
      entityId: rng.hex(32),
      saas: rng.chance(0.9) ? 'office365_teams' : 'slack',
      sentAt: anchor - Math.floor(rng.next() ** 1.7 * 62 * DAY),
      sender: isExternal ? `guest${rng.int(1, 40)}@harbour-freight.example` : rng.pick(staff).email,
      channel: rng.pick(['General', 'Dispatch', 'Finance', 'IT help', '雑談', 'Night shift']),
      text,
      linksCount: link ? 1 : 0,
      verdict,
      verdictCode: verdict === 'found' ? 'phsh' : null,
      state: verdict === 'found' && rng.chance(0.6) ? 'quarantined' : rng.chance(0.02) ? 'deleted' : 'posted',
      isExternal,
      replies: rng.skewed(30, 4),
      host,
    };
  });
}
