/** The calls that this service answers. */
import type { EndpointName } from '#shared/api/catalogue.ts';
import type { Handlers } from '../http/context.ts';
import { appHandlers } from './apps.ts';
import { emailHandlers } from './emails.ts';
import { queryHandlers } from './queries.ts';

export const handlers: Handlers = { ...queryHandlers, ...emailHandlers, ...appHandlers };

export const servedNames = Object.keys(handlers) as EndpointName[];
