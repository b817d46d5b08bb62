/** Runs the palette's lookups on the service; a changed text cancels the previous ones. */
import { useEffect, useState } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { readOnce } from '#renderer/bridge/use-read.ts';
import { currentConnection } from '#renderer/state/connection.ts';
import { domainConfig } from '#renderer/state/domain-config.ts';
import { afterPause } from '#renderer/ui/after-pause.ts';
import { useStable } from '#renderer/ui/use-stable.ts';
import type { Bridge } from '#shared/bridge/bridge.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import type { NewQuery, QueryConfig, Row } from '#shared/model/entities.ts';
import { type Ask, questionOf } from './questions.ts';

export const ASK_AFTER_MS = 200;

interface Answer {
  query: NewQuery;
  rows: readonly Row[];
  total: number | null;
  /** Why it is not known, or null if it is being asked. */
  error: string | null;
}

export type Answers = ReadonlyMap<string, Answer>;
const NOTHING: Answers = new Map();

/** What the service refuses because it does not have this domain. */
const UNSUPPORTED: ReadonlySet<string> = new Set(['bad-request', 'not-found', 'not-implemented']);

/** Tells the answer when it is asked and when it is known. Returns why it could not be asked, if it should have been. */
async function answer(
  bridge: Bridge,
  ask: Ask,
  signal: AbortSignal,
  tell: (answer: Answer) => void,
): Promise<string | null> {
  const connection = currentConnection();
  if (!connection) return null;
  let config: QueryConfig;
  try {
    config = await domainConfig(ask.domain);
  } catch (reason) {
    const { code, message } = toBridgeError(reason);
    return UNSUPPORTED.has(code) ? null : message;
  }
  const question = questionOf(ask, config);
  if (!question || signal.aborted) return null;
  const { query, body } = question;
  tell({ query, rows: [], total: null, error: null });
  try {
    const { data } = await readOnce(bridge, connection.id, 'query.execute', { body }, { signal });
    tell({ query, rows: data.rows.slice(0, ask.rows), total: data.total_rows, error: null });
    return null;
  } catch (reason) {
    const { message } = toBridgeError(reason);
    tell({ query, rows: [], total: null, error: message });
    return message;
  }
}

interface Lookups {
  /** Answers by lookup id, as they arrive. */
  answers: Answers;
  /** Why a lookup failed, or null if there is none. */
  failure: string | null;
  isAsking: boolean;
}
const NO_LOOKUPS = { key: '', answers: NOTHING, failure: null, ended: 0 };

/** Runs the lookups; a changed list cancels the previous ones. */
export function useAnswers(asks: readonly Ask[]): Lookups {
  const bridge = useBridge();
  const questions = useStable(asks);
  const key = JSON.stringify(questions);
  const [lookups, setLookups] = useState<{
    key: string;
    answers: Answers;
    failure: string | null;
    ended: number;
  }>(NO_LOOKUPS);
  useEffect(() => {
    return afterPause(ASK_AFTER_MS, (signal) => {
      const change = (next: (before: typeof lookups) => Partial<typeof lookups>) => {
        if (signal.aborted) return;
        setLookups((last) => {
          const before = last.key === key ? last : { ...NO_LOOKUPS, key };
          return { ...before, ...next(before) };
        });
      };
      for (const ask of questions)
        void answer(bridge, ask, signal, (item) =>
          change(({ answers }) => ({ answers: new Map(answers).set(ask.id, item) })),
        ).then((failure) =>
          change((before) => ({ failure: before.failure ?? failure, ended: before.ended + 1 })),
        );
    });
  }, [bridge, questions, key]);
  const { answers, failure, ended } = lookups.key === key ? lookups : NO_LOOKUPS;
  return { answers, failure, isAsking: ended < questions.length };
}
