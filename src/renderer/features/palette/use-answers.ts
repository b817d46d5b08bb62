/** Runs the palette's lookups on the service; a changed text cancels the previous ones. */
import { useEffect, useState } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { readOnce } from '#renderer/bridge/use-read.ts';
import { currentConnection } from '#renderer/state/connection.ts';
import { domainConfig } from '#renderer/state/domain-config.ts';
import { useStable } from '#renderer/ui/use-stable.ts';
import type { Bridge } from '#shared/bridge/bridge.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import type { NewQuery, Row } from '#shared/model/entities.ts';
import { type Ask, questionOf } from './questions.ts';

export const ASK_AFTER_MS = 200;

interface Answer {
  query: NewQuery;
  rows: readonly Row[];
  /** null: not known. */
  total: number | null;
  /** Why it is not known; null: it is being asked. */
  error: string | null;
}

export type Answers = ReadonlyMap<string, Answer>;
const NOTHING: Answers = new Map();

async function answer(
  bridge: Bridge,
  ask: Ask,
  signal: AbortSignal,
  tell: (answer: Answer) => void,
): Promise<void> {
  const connection = currentConnection();
  const question = connection && questionOf(ask, await domainConfig(ask.domain));
  if (!question || signal.aborted) return;
  const { query, body } = question;
  tell({ query, rows: [], total: null, error: null });
  try {
    const { data } = await readOnce(bridge, connection.id, 'query.execute', { body }, { signal });
    tell({ query, rows: data.rows.slice(0, ask.rows), total: data.total_rows, error: null });
  } catch (reason) {
    tell({ query, rows: [], total: null, error: toBridgeError(reason).message });
  }
}

/** Answers by lookup id, as they arrive. */
export function useAnswers(asks: readonly Ask[]): Answers {
  const bridge = useBridge();
  const asked = useStable(asks);
  const key = JSON.stringify(asked);
  const [known, setKnown] = useState<{ key: string; answers: Answers }>({ key: '', answers: NOTHING });
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const timer = setTimeout(() => {
      // Without a config, the service does not support this domain.
      for (const ask of asked)
        answer(bridge, ask, signal, (one) => {
          if (signal.aborted) return;
          setKnown((before) => ({
            key,
            answers: new Map(before.key === key ? before.answers : NOTHING).set(ask.id, one),
          }));
        }).catch(() => undefined);
    }, ASK_AFTER_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [bridge, asked, key]);
  return known.key === key ? known.answers : NOTHING;
}
