// @vitest-environment happy-dom
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import type { Attachment } from '#shared/model/entities.ts';
import { AttachmentsPanel } from './attachments-panel.tsx';
import type { EmailReads } from './use-email.ts';

const attachment = (name: string, matches: number, encryption?: string): Attachment => ({
  entity_id: name,
  name,
  size: 3,
  mime_type: 'application/pdf',
  matches,
  ...(encryption === undefined ? {} : { encryption }),
});
/** Only the reads that the panel uses. */
const reads = (profile: object, names = ['a.pdf', 'b.pdf']) =>
  ({
    entityId: 'e',
    profile: { data: profile },
    attachments: {
      data: {
        rows: names.map((name, index) => attachment(name, index, index === 1 ? 'password' : undefined)),
      },
      refresh: () => {},
    },
  }) as unknown as EmailReads;
const drawn = (profile: object) => {
  const root = document.createElement('div');
  root.innerHTML = renderToStaticMarkup(<AttachmentsPanel email={reads(profile)} full />);
  return root;
};
const buttons = (profile: object) => {
  const root = drawn(profile);
  return [...root.querySelectorAll('.em-download')].map((attachment) => attachment.textContent);
};

it('evidence lets every attachment be saved, a tenant only those with a match', () => {
  expect(buttons({ provenance: {} })).toEqual(['Save', 'Save']);
  expect(buttons({})).toEqual(['Download']);
});

it('an encrypted attachment shows how it is encrypted', () => {
  const marks = [...drawn({}).querySelectorAll('.em-attachment-more')].map(
    (row) => row.querySelector('.pp-caution')?.textContent?.trim() ?? null,
  );
  expect(marks).toEqual([null, 'Encrypted (Password)']);
});

it.each([
  [`${'A'.repeat(196)}.exe`, '.exe'],
  [`invoice${' '.repeat(180)}.scr`, '.scr'],
  [`${'A'.repeat(190)}.pdf.html`, '.html'],
  [`${'A'.repeat(190)}.pdf.application`, '.application'],
  [`${'A'.repeat(190)}.settingcontent-ms`, '.settingcontent-ms'],
  [`.${'A'.repeat(200)}`, ''],
  [`report.${'A'.repeat(200)}`, ''],
  ['no extension', ''],
])('however long the name, its ending is never truncated: %j', (name, end) => {
  const root = document.createElement('div');
  root.innerHTML = renderToStaticMarkup(<AttachmentsPanel email={reads({}, [name])} full />);
  const shown = root.querySelector('.em-attachment-name');
  expect(shown?.textContent).toBe(name);
  expect(shown?.querySelector('.em-name-start + span')?.textContent ?? '').toBe(end);
});

it('the files in an archive are below it, that of a reason is marked, however many there are', () => {
  const members = Array.from({ length: 150 }, (_, index) => ({
    name: `${index}.jpg.exe`,
    path: `in.zip/${index}.jpg.exe`,
    size: 7,
    encryption: index === 0 ? 'password' : null,
    content_type: index === 1 ? 'application/x-msdownload' : null,
  }));
  const email = {
    entityId: 'e',
    profile: { data: { provenance: {} } },
    attachments: { data: { rows: [{ ...attachment('photos.zip', 0), members }] }, refresh: () => {} },
  } as unknown as EmailReads;
  const root = document.createElement('div');
  const place = { words: '', isMissing: false, rows: [0], member: 'in.zip/120.jpg.exe' };
  root.innerHTML = renderToStaticMarkup(<AttachmentsPanel email={email} full place={place} />);
  const drawnMembers = [...root.querySelectorAll('.em-member')];
  expect(drawnMembers).toHaveLength(101);
  expect(drawnMembers[0]?.textContent).toBe('in.zip/0.jpg.exeEncrypted (Password) 7 B');
  expect(drawnMembers[1]?.textContent).toContain('application/x-msdownload');
  expect(root.querySelector('.em-member[aria-current]')?.textContent).toContain('in.zip/120.jpg.exe');
  expect(root.querySelector('.em-members .en-note')?.textContent).toBe('49 more files not shown.');
  expect(root.querySelectorAll('.em-attachment')).toHaveLength(1);
});
