import { expect, test } from 'vitest';
import { readStack } from '#renderer/entity/stack-rows.ts';
import type { FileProfile, ScanDetail } from '#shared/model/entities.ts';
import { fileVerdictLine } from './verdict-line.ts';

const branding = { product: 'guard', name: 'Guard' };
const scan = (tool: string, more: Partial<ScanDetail>): ScanDetail => ({ tool, applicable: true, ...more });
const FOUND = scan('checkpoint_te', { status: 'finished', verdict_code: 'malw', matches: 1 });
const CLEAN = scan('checkpoint_av', { status: 'clean', matches: 0 });
const FAILED = scan('lastline_av_file', { status: 'error', error: 'Timed out' });
const NONE = scan('dlp_checkpoint', { status: null });
const profile: FileProfile = { entity_id: 'f', saas: 'drive', title: 'a.exe' };
const line = (
  details: ScanDetail[],
  more: Partial<FileProfile> = {},
  held = false,
  people: number | null = 3,
) => {
  const line = fileVerdictLine(readStack(details, branding), { ...profile, ...more }, { held, people });
  return [line.word, line.parts.map(({ text }) => text).join(''), line.parts.at(-1)?.tone];
};

test.each([
  [
    'found, in reach',
    line([FOUND, CLEAN]),
    [
      'Found: malware',
      '1 of 2 tools found it. Not in quarantine: 3 permission entries have access.',
      'danger',
    ],
  ],
  [
    'found, public',
    line([FOUND, CLEAN], { is_shared_publicly: true }),
    ['Found: malware', '1 of 2 tools found it. Anyone with the link can open it.', 'danger'],
  ],
  [
    'found, deleted',
    line([FOUND], { is_deleted: true, is_shared_publicly: true }),
    ['Found: malware', '1 of 1 tool found it. Deleted: no longer accessible.', 'plain'],
  ],
  [
    'found, held',
    line([FOUND], {}, true),
    ['Found: malware', '1 of 1 tool found it. In quarantine.', 'plain'],
  ],
  [
    'found, permissions not known',
    line([FOUND], {}, false, null),
    ['Found: malware', '1 of 1 tool found it. Not in quarantine.', 'danger'],
  ],
  [
    'clean, public',
    line([CLEAN], { is_shared_publicly: true }),
    ['Clean', '1 of 1 tool found nothing. Anyone with the link can open it.', 'caution'],
  ],
  [
    '[spec 4] a failure is told, and never clean',
    line([CLEAN, FAILED]),
    ['Not scanned', '1 of 2 tools could not scan: this is not a clean result.', 'plain'],
  ],
  [
    'nobody could say anything',
    line([FAILED, NONE]),
    ['Not scanned', '1 of 2 tools could not scan, 1 has no result: this is not a clean result.', 'plain'],
  ],
  ['no tool', line([]), ['Not scanned', 'No tool has scanned this file.', 'caution']],
])('%s', (_, actual, expected) => expect(actual).toEqual(expected));

test('without the profile, the line does not mention access', () => {
  const line = fileVerdictLine(readStack([FOUND], branding), undefined, { held: false, people: null });
  expect(line.parts.map(({ text }) => text).join('')).toBe('1 of 1 tool found it.');
});
