/** All requests of a profile, for prefetching a neighbour and for keeping it offline. */
import type { ReadEndpoint, Request } from './catalogue.ts';

export const PROFILE_KINDS = ['email', 'file', 'message', 'user', 'group'] as const;
type ProfileKind = (typeof PROFILE_KINDS)[number];

/** The modes of similar_email_count that this console uses. */
export const SIMILAR_MODES = [
  'subject',
  'sender',
  'sender_domain',
  'attachment',
  'link',
  'client_ip',
] as const;
export type SimilarMode = (typeof SIMILAR_MODES)[number];

export interface ProfilePage {
  endpoint: ReadEndpoint;
  request: Request<ReadEndpoint>;
}

export interface ProfileRef {
  kind: ProfileKind;
  saas: string;
  entityId: string;
}

type Pages = readonly (readonly [ReadEndpoint, object])[];

/** The newest page of events; further pages by number. */
export const eventsRequest = (saas: string, entityId: string, page = 0) => ({
  params: { saas },
  query: { entity_id: entityId, page },
});

/** The first page of twenty users with permissions on a file. */
export const permissionsRequest = (type: 'file' | 'email', saas: string, entityId: string, page = 0) => ({
  params: { saas, type },
  query: { entity_id: entityId, page },
});

function emailPages({ saas, entityId }: ProfileRef, product: string): Pages {
  const request = { params: { saas }, query: { entity_id: entityId } };
  const common = { query: { entity_id: entityId } };
  return [
    ['email.profile', request],
    ['scan.details', common],
    ['entity.props', common],
    ['email.recipients', request],
    ['entity.permissions', permissionsRequest('email', saas, entityId)],
    ['email.attachments', request],
    ['email.headers', common],
    ['email.body', common],
    ['file.events', eventsRequest(saas, entityId)],
    ['scan.exceptions-status', common],
    ['scan.clicks', common],
    ['email.conversation', request],
    ['email.splits', request],
    ['findings.list', common],
    ...SIMILAR_MODES.map(
      (mode) =>
        ['email.similar-count', { params: { type: 'email', id: entityId }, query: { mode } }] as const,
    ),
    ...(product
      ? [['emails.classification', { params: { product }, body: { entity_ids: [entityId] } }] as const]
      : []),
  ];
}

function filePages({ saas, entityId }: ProfileRef): Pages {
  const common = { query: { entity_id: entityId } };
  return [
    ['file.profile', { params: { saas }, query: { entity_id: entityId } }],
    ['scan.details', common],
    ['entity.props', common],
    ['entity.permissions', permissionsRequest('file', saas, entityId)],
    ['file.events', eventsRequest(saas, entityId)],
    ['scan.exceptions-status', common],
    ['findings.list', common],
  ];
}

const messagePages = ({ entityId }: ProfileRef): Pages => [
  ['entity.get', { params: { type: 'message', id: entityId } }],
  ['entity.message-body', { query: { entity_id: entityId } }],
  ['scan.details', { query: { entity_id: entityId } }],
  ['scan.exceptions-status', { query: { entity_id: entityId } }],
];

const personPages = ({ kind, entityId }: ProfileRef): Pages => [
  ['entity.get', { params: { type: kind, id: entityId } }],
  ['findings.list', { query: { entity_id: entityId } }],
];

/**
 * In the order in which they are painted. `product` replaces `{product}`; with '' its calls are omitted. Lists of
 * debug links are excluded: they are large, and only requested when they are opened.
 */
export function profilePages(profile: ProfileRef, product: string): ProfilePage[] {
  const pages = {
    email: () => emailPages(profile, product),
    file: () => filePages(profile),
    message: () => messagePages(profile),
    user: () => personPages(profile),
    group: () => personPages(profile),
  }[profile.kind]();
  return pages.map(([endpoint, request]) => ({ endpoint, request: request as Request<ReadEndpoint> }));
}
