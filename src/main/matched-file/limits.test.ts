/** The limits of one zip: whatever it leaves out is named, in the answer and in the manifest. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAX_EMAILS_AT_ONCE, operations } from '#shared/bridge/operations.ts';
import { temporaryProfile } from '#tests/support/core.ts';
import { readSealedZip } from '#tests/support/sealed-zip.ts';
import { createMatchedFileHandlers } from './handlers.ts';

const WHOLE = { noId: 0, gone: 0, beyond: 0 };
let folder: ReturnType<typeof temporaryProfile>;
beforeEach(() => {
  folder = temporaryProfile();
});
afterEach(() => folder.remove());

/** Evidence in which each email has this many attachments of this many bytes. */
function saving(attachments: number, size: number, limits?: { files: number; bytes: number }) {
  const ctx = {
    connection: () => ({ kind: 'evidence', name: 'Evidence' }),
    grants: { redeem: () => ({ path: path.join(folder.path, 'a.zip'), name: 'a.zip' }) },
    ports: { version: '0', now: () => 0 },
    upstream: {
      send: async (_: string, endpoint: string, { query }: { query: { entity_id?: string } }) =>
        endpoint === 'email.attachments'
          ? {
              rows: Array.from({ length: attachments }, (__, index) => ({
                entity_id: `${query.entity_id}-${index}`,
                name: `${query.entity_id}-${index}.bin`,
              })),
            }
          : { success: true, hash: '/h/', token: 't', id: 'i' },
      blob: async (...[, , , { maxBytes }]: [string, string, object, { maxBytes: number }]) => {
        if (size > maxBytes) throw new Error(`more than ${maxBytes} bytes`);
        return new Uint8Array(size);
      },
    },
  };
  const handlers = createMatchedFileHandlers(ctx as never, undefined, limits);
  return async (emails: number, emailsLeftOut = WHOLE) => {
    const input = {
      connectionId: 'c',
      emails: Array.from({ length: emails }, (_, index) => ({
        saas: 's',
        entityId: `e${index}`,
        subject: `m${index}`,
      })),
      left: emailsLeftOut,
      grantId: 'g',
      password: 'infected',
    };
    const { signal } = new AbortController();
    const saved = await handlers['matched-file.save-of'](input, { signal } as never);
    const inside = readSealedZip(readFileSync(path.join(folder.path, 'a.zip')), 'infected');
    const manifest = JSON.parse(String(inside.get('manifest.json'))) as {
      what: string;
      files: object[];
      missing: { name: string; reason: string }[];
    };
    expect(manifest.missing).toEqual(saved.missing);
    expect(inside.size).toBe(saved.files + 1);
    expect(manifest.files).toHaveLength(saved.files);
    return { ...saved, what: manifest.what };
  };
}

it('[promise] selected emails that cannot be requested are named in the answer and in the manifest', async () => {
  const saved = await saving(1, 3)(2, { noId: 1, gone: 2, beyond: 3 });
  expect(saved).toMatchObject({
    files: 2,
    what: 'Attachments of 2 of 8 chosen emails, from evidence',
    missing: [
      { name: 'Attachments of 1 email', reason: 'Without an id their attachments cannot be requested.' },
      { name: 'Attachments of 2 emails', reason: 'No longer among the results on this machine.' },
      { name: 'Attachments of 3 emails', reason: 'A zip contains the attachments of at most 500 emails.' },
    ],
  });
  expect((await saving(1, 3)(2)).what).toBe('Attachments of 2 emails, from evidence');
});

describe('[limit 2 000 files, limit 256 MiB] limits: one below, at the limit and one above', () => {
  it('emails', () => {
    const { input } = operations['matched-file.save-of'];
    const email = { saas: 's', entityId: 'e', subject: '' };
    const fits = (count: number) =>
      input.safeParse({
        connectionId: 'c',
        emails: Array.from({ length: count }, () => email),
        left: WHOLE,
        grantId: 'g',
        password: 'p',
      }).success;
    expect([-1, 0, 1].map((by) => fits(MAX_EMAILS_AT_ONCE + by))).toEqual([true, true, false]);
  });

  it.each([
    [9, []],
    [10, []],
    [11, [{ name: 'e0-10.bin', reason: 'A zip contains at most 10 files.' }]],
  ])('files, if ten fit: %i', async (count, missing) => {
    const saved = await saving(count, 0, { files: 10, bytes: 100 })(1);
    expect(saved).toMatchObject({ files: Math.min(count, 10), missing });
  });

  it.each([
    [31, 3, 0],
    [30, 3, 0],
    [29, 2, 1],
  ])('%i bytes, three files of 10: %i are saved', async (bytes, files, missing) => {
    const saved = await saving(1, 10, { files: 10, bytes })(3);
    expect(saved).toMatchObject({ files, bytes: files * 10 });
    expect(saved.missing).toHaveLength(missing);
  });
});
