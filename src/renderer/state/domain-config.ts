/** The query config of a domain. */
import { readOnce } from '#renderer/bridge/use-read.ts';
import type { QueryConfig } from '#shared/model/entities.ts';
import { currentConnection } from './connection.ts';
import { windowBridge } from './window-bridge.ts';

/** For all apps of the current connection. */
export async function domainConfig(domain: string): Promise<QueryConfig> {
  const connection = currentConnection();
  if (!connection) throw new Error('No connection is open.');
  const request = { query: { saas_id: 'all', query_domain: domain } };
  return (await readOnce(windowBridge(), connection.id, 'query.config', request)).data;
}
export const emailConfig = (): Promise<QueryConfig> => domainConfig('email');
