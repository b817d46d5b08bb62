import type { EndpointName } from '#shared/api/catalogue.ts';

/** Calls of the catalogue that the embedded service answers; any other answers 501. For docs/api.md. */
export const SERVED: readonly EndpointName[] = [
  'query.execute',
  'query.list',
  'query.get',
  'query.save',
  'query.update',
  'query.delete',
  'query.config',
  'query.export',
  'query.import',
  'email.profile',
  'email.recipients',
  'email.attachments',
  'email.conversation',
  'email.splits',
  'email.headers',
  'email.body',
  'email.similar-count',
  'entity.props',
  'scan.details',
  'scan.clicks',
  'apps.list',
  'apps.statistics',
];
