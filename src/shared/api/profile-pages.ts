/** Everything that a profile asks the service for, to be asked ahead: for the neighbour, and to be kept offline. */
import type { ReadEndpoint, Request } from './catalogue.ts';

export const PROFILE_KINDS = ['email', 'file', 'message'] as const;
type ProfileKind = (typeof PROFILE_KINDS)[number];

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

/** The newest page of what happened; more is asked for by the page. */
export const eventsRequest = (saas: string, entityId: string, page = 0) => ({
  params: { saas },
  query: { entity_id: entityId, page },
});

/** Twenty of those who may do something with a file. */
export const permissionsRequest = (saas: string, entityId: string, page = 0) => ({
  params: { saas, type: 'file' },
  query: { entity_id: entityId, page },
});

function emailPages({ saas, entityId }: ProfileRef, product: string): Pages {
  const own = { params: { saas }, query: { entity_id: entityId } };
  const common = { query: { entity_id: entityId } };
  return [
    ['email.profile', own],
    ['scan.details', common],
    ['entity.props', common],
    ['email.recipients', own],
    ['email.attachments', own],
    ['email.headers', common],
    ['email.body', common],
    ['file.events', eventsRequest(saas, entityId)],
    ['scan.exceptions-status', common],
    ['scan.clicks', common],
    ['email.conversation', own],
    ['email.splits', own],
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
    ['entity.permissions', permissionsRequest(saas, entityId)],
    ['file.events', eventsRequest(saas, entityId)],
    ['scan.exceptions-status', common],
    ['findings.list', common],
  ];
}

const messagePages = ({ entityId }: ProfileRef): Pages => [
  ['entity.get', { params: { type: 'message', id: entityId } }],
  ['entity.message-body', { query: { entity_id: entityId } }],
];

/**
 * What paints first comes first. `product`: what `{product}` stands for; '' leaves its calls away. Lists of debug
 * links are left out: they are large, and only asked for when they are looked at.
 */
export function profilePages(profile: ProfileRef, product: string): ProfilePage[] {
  const pages =
    profile.kind === 'email'
      ? emailPages(profile, product)
      : profile.kind === 'file'
        ? filePages(profile)
        : messagePages(profile);
  return pages.map(([endpoint, request]) => ({ endpoint, request: request as Request<ReadEndpoint> }));
}
