/** Everything a profile asks the service for, to be asked ahead: for the neighbour, and to be kept offline. */
import { readOnce } from '#renderer/bridge/use-read.ts';
import type { ReadEndpoint, Request } from '#shared/api/catalogue.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import { windowBridge } from './window-bridge.ts';

/** The words of similar_email_count's mode that this console asks for. */
export const SIMILAR_MODES = [
  'subject',
  'sender',
  'sender_domain',
  'attachment',
  'link',
  'client_ip',
] as const;
export type SimilarMode = (typeof SIMILAR_MODES)[number];

interface Page {
  endpoint: ReadEndpoint;
  request: Request<ReadEndpoint>;
}

/** What paints first comes first. `product`: what `{product}` stands for; '' leaves its calls away. */
export function emailPages(saas: string, entityId: string, product: string): Page[] {
  const own = { params: { saas }, query: { entity_id: entityId } };
  const common = { query: { entity_id: entityId } };
  const pages: [ReadEndpoint, object][] = [
    ['email.profile', own],
    ['scan.details', common],
    ['entity.props', common],
    ['email.recipients', own],
    ['email.attachments', own],
    ['email.headers', common],
    ['email.body', common],
    ['file.events', eventsRequest(saas, entityId)],
    ['scan.clicks', common],
    ['email.conversation', own],
    ['email.splits', own],
    ...SIMILAR_MODES.map((mode): [ReadEndpoint, object] => [
      'email.similar-count',
      { params: { type: 'email', id: entityId }, query: { mode } },
    ]),
    ...(product
      ? [
          ['emails.classification', { params: { product }, body: { entity_ids: [entityId] } }] as [
            ReadEndpoint,
            object,
          ],
        ]
      : []),
  ];
  return pages.map(([endpoint, request]) => ({ endpoint, request: request as Request<ReadEndpoint> }));
}

/** The first page of what happened; more is asked for by the page. */
export const eventsRequest = (saas: string, entityId: string) => ({
  params: { saas },
  query: { entity_id: entityId, page: 0 },
});

/**
 * Asks for all pages of one email, one after another, so that what is on screen goes first. Resolves with how many
 * could not be had; rejects only when cancelled.
 */
export async function fetchEmailPages(
  connectionId: string,
  email: { saas: string; entityId: string },
  product: string,
  signal: AbortSignal,
): Promise<number> {
  let failed = 0;
  for (const { endpoint, request } of emailPages(email.saas, email.entityId, product)) {
    signal.throwIfAborted();
    try {
      const { error } = await readOnce(windowBridge(), connectionId, endpoint, request, { signal });
      if (error !== null) failed += 1;
    } catch (reason) {
      if (signal.aborted || toBridgeError(reason).code === 'cancelled') throw reason;
      failed += 1;
    }
  }
  return failed;
}
