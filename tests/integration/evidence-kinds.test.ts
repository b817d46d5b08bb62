/**
 * One file of each kind that holds mail: every mail is shown, with its body, its report, its attachments and its
 * original bytes.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { safeFileName } from '#main/kernel/file-names.ts';
import type { Row } from '#shared/model/entities.ts';
import { type Core, memoryKeychain, readAll, startCore, temporaryProfile } from '#tests/support/core.ts';
import { DOCUMENT, LURE, layOneOfEach, REPORT } from '#tests/support/evidence-kinds.ts';
import { readSealedZip } from '#tests/support/sealed-zip.ts';
import { soon } from '#tests/support/soon.ts';

const PASSWORD = 'correct horse';
let profile: ReturnType<typeof temporaryProfile>;
let core: Core | null = null;
let root = '';
let saved = '';

beforeEach(async () => {
  profile = temporaryProfile();
  root = path.join(profile.path, 'mail');
  saved = path.join(profile.path, 'saved');
  mkdirSync(root);
  mkdirSync(saved);
});
afterEach(async () => {
  await core?.stop();
  profile.remove();
});

const sha = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex');

it('[promise] every mail is shown; from a word in a body to its report, its sealed attachments and its original bytes', async () => {
  const expected = await layOneOfEach(root);
  const started = await startCore({
    profile: profile.path,
    keychain: memoryKeychain(),
    dialogs: {
      open: async () => null,
      save: async ({ suggestedName }) => {
        const name = safeFileName(suggestedName);
        return { path: path.join(saved, name), name };
      },
    },
  });
  core = started;
  const { bridge } = started;
  await started.app.connect({ kind: 'evidence', path: root });
  const { state } = await bridge.call('connections.list', {});
  const connectionId = String(state.connectionId);
  await soon(async () =>
    expect((await bridge.call('evidence.state', { connectionId })).state?.phase).toBe('read'),
  );
  const ask = async <T>(endpoint: string, input: object): Promise<T> => {
    const { snapshots, error } = await readAll(bridge, {
      connectionId,
      endpoint,
      refresh: true,
      ...input,
    } as never);
    if (error !== null) throw error;
    return snapshots.at(-1)?.data as T;
  };
  const rows = async (conditions: object[]): Promise<Row[]> => {
    const { rows: hits } = await ask<{ rows: Row[] }>('query.execute', {
      body: {
        query_domain: 'email',
        saas_id: 'all',
        query_entity_type: 'email',
        condition: { operator: 'and', conditions },
        columns: ['subject', 'saas'],
        sort_by: [],
        size: 100,
        include_copies: false,
      },
    });
    return hits;
  };
  const idOf = (row: Row | undefined) => String(row?.['entity_id']);

  expect((await rows([])).map((row) => String(row['subject'])).sort()).toEqual(expected);
  const { problems } = await bridge.call('evidence.problems', { connectionId });
  expect(problems.map(({ file }) => file)).toEqual(['n.txt']);

  const [hit, ...others] = await rows([
    { field: 'body', operator: 'contains_text', values: ['pay the invoice'] },
  ]);
  expect([hit?.['subject'], others]).toEqual(['lure', []]);
  const about = (id: string) => ({ params: { saas: String(hit?.['saas']) }, query: { entity_id: id } });
  const lure = await ask<unknown>('email.profile', about(idOf(hit)));
  const [report] = await rows([{ field: 'subject', operator: 'is', values: ['report'] }]);
  expect(JSON.stringify(lure)).toContain(idOf(report));

  const { rows: files } = await ask<{ rows: Row[] }>('email.attachments', about(idOf(report)));
  const grant = await bridge.call('dialogs.save', { suggestedName: 'files.zip', kind: 'zip' });
  await bridge.call('matched-file.save-all', {
    connectionId,
    entityType: 'email',
    files: files.map((row) => ({ entityId: idOf(row), name: String(row['name'] ?? row['file_name']) })),
    grantId: grant?.grantId ?? '',
    password: PASSWORD,
  });
  const sealed = readSealedZip(readFileSync(path.join(saved, 'files.zip')), PASSWORD);
  const hashes = [...sealed.values()].map(sha);
  expect(hashes).toEqual(expect.arrayContaining([sha(LURE), sha(DOCUMENT)]));

  const selection = await bridge.call('dialogs.save', { suggestedName: 'selection.zip', kind: 'zip' });
  const all = (await rows([])).map((row) => ({
    saas: 'evidence',
    entityId: idOf(row),
    subject: String(row['subject']),
  }));
  const together = await bridge.call('matched-file.save-of', {
    connectionId,
    emails: [...all, { saas: 'evidence', entityId: 'no-such-mail', subject: 'gone' }],
    left: { noId: 0, gone: 0, beyond: 0 },
    grantId: selection?.grantId ?? '',
    password: PASSWORD,
  });
  expect(together).toMatchObject({ files: 2, missing: [{ name: 'Attachments of “gone”' }] });
  const inside = readSealedZip(readFileSync(path.join(saved, 'selection.zip')), PASSWORD);
  expect([...inside.keys()].sort()).toEqual(['a.pdf', 'lure.eml', 'manifest.json']);
  expect(inside.get('a.pdf')).toEqual(DOCUMENT);
  expect(JSON.parse(String(inside.get('manifest.json')))).toMatchObject({
    what: `Attachments of ${all.length + 1} emails, from evidence`,
    files: expect.arrayContaining([
      expect.objectContaining({
        file: 'a.pdf',
        email: idOf(report),
        subject: 'report',
        sha256: sha(DOCUMENT),
      }),
    ]),
    missing: [{ name: 'Attachments of “gone”' }],
  });

  const whole = await bridge.call('dialogs.save', { suggestedName: 'report.eml', kind: 'any' });
  await bridge.call('matched-file.save', {
    connectionId,
    entityType: 'email',
    entityId: idOf(report),
    grantId: whole?.grantId ?? '',
    name: 'report.eml',
    zip: null,
  });
  expect(readFileSync(path.join(saved, 'report.eml'))).toEqual(Buffer.from(REPORT));
});
