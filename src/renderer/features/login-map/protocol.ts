/** Questions of the window to the map's worker, and their answers. */
import type { LoginFilter } from '#shared/logins/login-filter.ts';
import type { ClockSetting } from '#shared/model/clock.ts';
import type { LayerInput, LoginEngine } from './engine.ts';

export interface Questions {
  load: { inputs: LayerInput[]; clock: ClockSetting; now: number };
  summary: { filter: LoginFilter };
  rows: { start: number; end: number };
  row: { row: number };
  travel: { filter: LoginFilter; limit: number };
  ofUser: { user: string; limit: number };
  records: { start: number; end: number; clock: ClockSetting };
  /** Outlines of countries as SVG paths on the plane of the map, in thousandths. */
  land: { fine: boolean };
}

export type QuestionName = keyof Questions;
export type AnswerTo<N extends QuestionName> = N extends 'land'
  ? string[]
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
