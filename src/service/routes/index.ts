import type { EndpointName } from '#shared/api/catalogue.ts';
import type { Handlers } from '../http/context.ts';
import { actionHandlers } from './actions.ts';
import { appHandlers } from './apps.ts';
import { campaignHandlers } from './campaigns.ts';
import { emailHandlers } from './emails.ts';
import { entityHandlers } from './entities.ts';
import { evidenceHandlers } from './evidence.ts';
import { exceptionHandlers } from './exceptions.ts';
import { fileHandlers } from './files.ts';
import { findingHandlers } from './findings.ts';
import { loginHandlers } from './logins.ts';
import { policyHandlers } from './policies.ts';
import { queryHandlers } from './queries.ts';

export const handlers: Handlers = {
  ...queryHandlers,
  ...policyHandlers,
  ...emailHandlers,
  ...campaignHandlers,
  ...entityHandlers,
  ...fileHandlers,
  ...actionHandlers,
  ...findingHandlers,
  ...appHandlers,
  ...loginHandlers,
  ...exceptionHandlers,
  ...evidenceHandlers,
};

/** For docs/api.md; any other call of the catalogue answers 501. */
export const servedNames = Object.keys(handlers) as EndpointName[];
