/** Attachments of ordinary mail. Signature images and forms recur, others are unique. */
import type { AttachmentRecord } from '../store/records.ts';
import { type Random, random } from './prng.ts';

const KINDS = [
  ['pdf', 'application/pdf', 40_000, 2_000_000],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 20_000, 900_000],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 15_000, 1_500_000],
  ['pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation', 200_000, 9_000_000],
  ['jpg', 'image/jpeg', 60_000, 4_000_000],
  ['png', 'image/png', 4_000, 300_000],
  ['ics', 'text/calendar', 900, 5_000],
  ['csv', 'text/csv', 400, 80_000],
  ['zip', 'application/zip', 30_000, 12_000_000],
] as const;
const STEMS = [
  'Order',
  'Delivery note',
  'Minutes',
  'Offer',
  'Contract',
  'Price list',
  'Invoice',
  'Photo',
  'Report',
  'Plan',
  'Rechnung',
  'Angebot',
  '見積書',
  '議事録',
  'Счёт',
  'Παραγγελία',
  'عرض',
];

/** The attachment for a name, always with the same hashes. */
export function attachmentOf(name: string, mime: string, size: number, key: string): AttachmentRecord {
  const rng = random(`file/${key}`);
  return {
    name,
    mimeType: mime,
    size,
    md5: rng.hex(32),
    sha1: rng.hex(40),
    sha256: rng.hex(64),
    isInline: false,
    verdictCode: 'clean',
    matches: 0,
  };
}

const common: AttachmentRecord[] = [];

/** `image001.png` and similar: logos in signatures. */
export function signatureImage(rng: Random): AttachmentRecord {
  if (common.length === 0)
    for (let i = 0; i < 24; i += 1)
      common.push({
        ...attachmentOf(`image00${(i % 3) + 1}.png`, 'image/png', 22_528 + i * 211, `sig/${i}`),
        isInline: true,
      });
  return common[rng.skewed(common.length)] ?? attachmentOf('image001.png', 'image/png', 22_528, 'sig');
}

const pool = new Map<number, AttachmentRecord>();

/** A document; one in three was sent before. */
export function document(rng: Random, serial: number): AttachmentRecord {
  const shared = rng.chance(0.35);
  const id = shared ? rng.skewed(600, 2) : 1_000 + serial;
  const existingFile = shared ? pool.get(id) : undefined;
  if (existingFile) return existingFile;
  const ownRng = random(`doc/${id}`);
  const [extension, mime, least, most] = KINDS[ownRng.skewed(KINDS.length, 1.8)] ?? KINDS[0];
  const name = `${ownRng.pick(STEMS)} ${ownRng.int(1000, 99_999)}.${extension}`;
  const file = attachmentOf(name, mime, least + Math.floor(ownRng.next() ** 2 * (most - least)), `doc/${id}`);
  if (shared) pool.set(id, file);
  return file;
}
