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
const reads = (profile: object) =>
  ({
    entityId: 'e',
    profile: { data: profile },
    attachments: {
      data: { rows: [attachment('a.pdf', 0), attachment('b.pdf', 1, 'password')] },
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
  return [...root.querySelectorAll('.em-download')].map((one) => one.textContent);
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
