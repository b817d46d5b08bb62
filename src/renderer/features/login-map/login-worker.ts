/** The map's worker: decoding, counting and sorting of login rows, none of it on the UI thread. */
import { LoginEngine } from './engine.ts';
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
    case 'travel':
      return engine.travel(question.input.filter, question.input.limit);
    case 'records':
      return engine.records(question.input.start, question.input.end, question.input.clock);
  }
}

addEventListener('message', ({ data }: MessageEvent<Question>) => {
  let reply: Reply;
  try {
    reply = { id: data.id, value: answer(data) };
  } catch (error) {
    reply = { id: data.id, error: error instanceof Error ? error.message : String(error) };
  }
  postMessage(reply);
});
