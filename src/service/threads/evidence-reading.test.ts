import { expect, it, vi } from 'vitest';
import type { EmbeddedMessage } from '#shared/embedded.ts';
import { openEvidence } from '../evidence/source.ts';
import { EvidenceReading, loadEvidence } from './evidence-reading.ts';

it('an index that fails during a decision or a report answers with the reason', async () => {
  const store = openEvidence({ path: ':memory:' });
  const events: EmbeddedMessage[] = [];
  const reading = new EvidenceReading({
    evidence: await loadEvidence(),
    store,
    path: '/mail',
    believed: [],
    rules: [],
    threads: new URL('file:///none'),
    stopped: new AbortController().signal,
    onEvent: (event) => void events.push(event),
  });
  store.db.exec('DROP TABLE evidence_absent');
  reading.obey({ type: 'resolve', answer: 'keep' });
  reading.obey({ type: 'report' });
  store.close();
  const error = { code: 'internal', message: expect.stringContaining('evidence_absent') };
  await vi.waitFor(() =>
    expect(events).toMatchObject([
      { type: 'refused', answer: 'resolved', error },
      { type: 'refused', answer: 'report', error },
    ]),
  );
});
