/** Questions of the window to the map's worker, and their answers. */
import type { LoginFilter } from '#shared/logins/login-filter.ts';
import type { ClockSetting } from '#shared/model/clock.ts';
import type { LayerInput, LoginEngine } from './engine.ts';
import type { Part } from './filter-state.ts';
import type { MapPicture, PictureAsk } from './picture.ts';

export interface Questions {
  /** A load: begun, then its pages one by one, so that no message copies all of them, then shown. */
  begin: { now: number };
  page: LayerInput;
  load: { clock: ClockSetting };
  summary: { filter: LoginFilter };
  rows: { start: number; end: number };
  ranked: { part: Part; start: number; end: number };
  row: { row: number };
  travel: { filter: LoginFilter; limit: number };
  ofUser: { user: string; limit: number };
  records: { start: number; end: number; clock: ClockSetting };
  /** The map of the last summary: for the window, and for files. */
  picture: PictureAsk;
  png: PictureAsk;
  svg: { ask: PictureAsk; title: string };
}

export type QuestionName = keyof Questions;
interface Drawn {
  picture: MapPicture;
  png: Blob;
  svg: string;
}
export type AnswerTo<N extends QuestionName> = N extends keyof Drawn
  ? Drawn[N]
  : N extends keyof LoginEngine
    ? ReturnType<LoginEngine[N]>
    : never;
export type Question = { [N in QuestionName]: { id: number; name: N; input: Questions[N] } }[QuestionName];
export type Reply = { id: number; value: unknown } | { id: number; error: string };

/** Columns of `records`, in their order. */
export const RECORD_COLUMNS = [
  'time',
  'user',
  'ip',
  'country',
  'city',
  'lat',
  'lon',
  'logins',
  'outcome',
  'app',
  'seen_from_place',
] as const;
