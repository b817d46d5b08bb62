/** The map's worker: decoding, counting and sorting of login rows, none of it on the UI thread. */
import inter from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2';
import { LoginEngine } from './engine.ts';
import type { Question, Reply } from './login-client.ts';
import { drawPicture, drawPng, drawSvg, loadFont, type MapPicture } from './picture.ts';

loadFont(inter);
const engine = new LoginEngine();
const shown = () => engine.shown;

function answer(question: Question): unknown {
  switch (question.name) {
    case 'begin':
      return engine.begin(question.input.now);
    case 'page':
      return engine.page(question.input);
    case 'load':
      return engine.load(question.input);
    case 'summary':
      return engine.summary(question.input.filter);
    case 'rows':
      return engine.rows(question.input.start, question.input.end);
    case 'ranked':
      return engine.ranked(question.input.part, question.input.start, question.input.end);
    case 'row':
      return engine.row(question.input.row);
    case 'ofUser':
      return engine.ofUser(question.input.user, question.input.limit);
    case 'travel':
      return engine.travel(question.input.filter, question.input.limit);
    case 'records':
      return engine.records(question.input.start, question.input.end, question.input.clock);
    case 'picture':
      return drawPicture(question.input, shown);
    case 'png':
      return drawPng(question.input, shown);
    case 'svg':
      return drawSvg(question.input.ask, shown, question.input.title);
  }
}

/** Pictures are transferred without a copy. */
const movedOf = ({ name }: Question, value: unknown): Transferable[] =>
  name === 'picture' ? [(value as MapPicture).bitmap] : [];

addEventListener('message', async ({ data }: MessageEvent<Question>) => {
  try {
    const value = await answer(data);
    postMessage({ id: data.id, value } satisfies Reply, { transfer: movedOf(data, value) });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    postMessage({ id: data.id, error: reason } satisfies Reply);
  }
});
