/** Evidence import, everything stored and indexed, against the parser alone and against a mail library alone. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import PostalMime from 'postal-mime';
import { ingestEvidence } from '#service/evidence/ingest/ingest-evidence.ts';
import { parseMessage } from '#service/evidence/reader/parse.ts';
import { DEFAULT_LIMITS } from '#service/evidence/reader/types.ts';
import { openEvidence } from '#service/evidence/source.ts';
import { madeMail } from '../support/made-mail.ts';
import type { BenchSuite } from './support.ts';

const MAILS = 2_000;

export const suite: BenchSuite = {
  names: ['evidence'],
  async run(bench) {
    const folder = mkdtempSync(path.join(tmpdir(), 'parapet-bench-'));
    const mail = path.join(folder, 'mail');
    mkdirSync(mail);
    for (let index = 0; index < MAILS; index++)
      writeFileSync(path.join(mail, `${String(index).padStart(6, '0')}.eml`), madeMail(index));
    const each = async (work: (raw: Buffer) => Promise<unknown>) => {
      for (const name of await readdir(mail)) await work(await readFile(path.join(mail, name)));
    };
    let turn = 0;
    const own = (key: string | null) => async () => {
      const store = openEvidence({ path: path.join(folder, `evidence-${turn++}.sqlite`), key });
      try {
        const { imported } = await ingestEvidence(store, mail);
        if (imported !== MAILS) throw new Error(`${imported} of ${MAILS} messages were imported`);
      } finally {
        store.close();
      }
    };
    const peers = [
      { name: 'the parser alone', run: () => each((raw) => parseMessage(raw, DEFAULT_LIMITS)) },
      { name: 'postal-mime alone', run: () => each((raw) => PostalMime.parse(raw)) },
    ];
    await bench.compare({
      name: 'evidence',
      variant: 'import, encrypted',
      rows: MAILS,
      own: own('b2'.repeat(32)),
      peers,
    });
    await bench.compare({ name: 'evidence', variant: 'import, plain', rows: MAILS, own: own(null) });
    rmSync(folder, { recursive: true, force: true });
  },
};
