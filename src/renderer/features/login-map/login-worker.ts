/** The map's worker: decoding, counting and sorting of login rows, none of it on the UI thread. */
import { LoginEngine, type MapSummary } from './engine.ts';
import { landPaths } from './land.ts';
import type { Question, Reply } from './protocol.ts';

const engine = new LoginEngine();

function answer(question: Question): unknown {
  switch (question.name) {
    case 'load':
      return engine.load(question.input.inputs, question.input.clock, question.input.now);
    case 'summary':
      return engine.summary(question.input.filter);
    case 'rows':
      return engine.rows(question.input.start, question.input.end);
    case 'row':
      return engine.row(question.input.row);
    case 'ofUser':
      return engine.ofUser(question.input.user, question.input.limit);
    case 'travel':
      return engine.travel(question.input.filter, question.input.limit);
    case 'records':
      return engine.records(question.input.start, question.input.end, question.input.clock);
    case 'land':
      return landPaths(question.input.fine);
  }
}

/** Columns go over without a copy: at 200 000 places a copy would be a frame of its own. */
function columnsOf({ name }: Question, value: unknown): Transferable[] {
  if (name !== 'summary') return [];
  const { places } = value as MapSummary;
  const { number, lat, lon, logins, users, rarest, row, x, y } = places;
  return [number, lat, lon, logins, users, rarest, row, x, y].map((column) => column.buffer as ArrayBuffer);
}

addEventListener('message', async ({ data }: MessageEvent<Question>) => {
  try {
    const value = await answer(data);
    postMessage({ id: data.id, value } satisfies Reply, { transfer: columnsOf(data, value) });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    postMessage({ id: data.id, error: reason } satisfies Reply);
  }
});
