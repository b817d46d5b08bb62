import { foldText } from '../query/text.ts';

const ANSWER =
  /^(?:re|aw|sv|vs|ref|rif|res|r|antw|odp|ynt|ang|回复|答复|返信)(?:\[\d{1,4}\]|\(\d{1,4}\)|\^\d{1,4})?\s*[:：]\s*/i;
const FORWARD = /^(?:fwd?|wg|tr|rv|enc|vl|vb|pd|i|转发|転送)(?:\[\d{1,4}\]|\(\d{1,4}\))?\s*[:：]\s*/i;
const TAG = /^\[[^\]]{1,60}\]\s*/;
const MAX_PREFIXES = 50;

/** The folded subject without prefixes of replies, forwards and lists. */
export function baseSubject(subject: string): { base: string; isAnswer: boolean } {
  let rest = subject.trim().slice(0, 1_000);
  let isAnswer = false;
  for (let turn = 0; turn < MAX_PREFIXES; turn += 1) {
    const mark = ANSWER.exec(rest) ?? FORWARD.exec(rest) ?? TAG.exec(rest);
    if (mark === null) break;
    isAnswer ||= ANSWER.test(rest);
    rest = rest.slice(mark[0].length);
  }
  return { base: foldText(rest).replace(/\s+/g, ' ').trim().slice(0, 200), isAnswer };
}

/** Whether a subject says that somebody passes on a mail. */
export const isForward = (subject: string): boolean => FORWARD.test(subject.trimStart());
