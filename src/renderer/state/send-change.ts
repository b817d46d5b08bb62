import type { AnswerOf, WriteEndpoint } from '#shared/api/catalogue.ts';
import { windowBridge } from './window-bridge.ts';

/** Sends one change. `about` is what it changes, for the journal. Rejects with a ParapetError. */
export async function sendChange<N extends WriteEndpoint>(
  connectionId: string,
  endpoint: N,
  request: { params?: Record<string, unknown>; body?: unknown; about?: string | undefined },
): Promise<AnswerOf<N>> {
  const { data } = await windowBridge().call('service.send', { connectionId, endpoint, ...request });
  return data as AnswerOf<N>;
}
