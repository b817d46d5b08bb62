import { describe, expect, it } from 'vitest';
import { match } from './routes.ts';

describe('match', () => {
  it.each([
    ['POST', '/api/v1/query/execute', 'query.execute', {}],
    ['GET', '/api/v1/query', 'query.list', {}],
    ['GET', '/api/v1/query/config', 'query.config', {}],
    ['GET', '/api/v1/query/q%2F1', 'query.get', { id: 'q/1' }],
    ['GET', '/api/v1/sql_queries/google_mail/entity/email', 'email.profile', { saas: 'google_mail' }],
    ['GET', '/api/v1/sql_queries/x/file_permissions', 'entity.permissions', { saas: 'x', type: 'file' }],
    ['GET', '/api/v1/sql_queries/common/scan_details', 'scan.details', {}],
    ['GET', '/api/v1/sql_queries/common/ap_guard_debug_links', 'scan.debug-links', { product: 'guard' }],
    ['POST', '/api/v1/policies/policies_catalog//p1/send_result', 'policies.send-result', { id: 'p1' }],
    ['POST', '/api/v1/policies/policies_catalog/p1/send_result', 'policies.send-result', { id: 'p1' }],
    ['GET', '/api/v1/entity/props', 'entity.props', {}],
    ['GET', '/api/v1/entity/email/abc', 'entity.get', { type: 'email', id: 'abc' }],
    ['GET', '/api/v1/entity/is_quarantine_restorable/abc', 'entity.quarantine-restorable', { id: 'abc' }],
  ])('%s %s is %s', (method, path, name, params) => {
    expect(match(method, path)).toEqual({ kind: 'call', name, params });
  });

  it('distinguishes a wrong method, an unknown path and a malformed one', () => {
    expect(match('PATCH', '/api/v1/query/q1')).toEqual({ kind: 'method', allow: ['DELETE', 'GET', 'PUT'] });
    for (const path of [
      '/',
      '/api/v1',
      '/api/v1/',
      '/api/v2/query',
      '/api/v1/nothing/here/at/all',
      '/api/v1query',
    ])
      expect(match('GET', path)).toEqual({ kind: 'none' });
    expect(match('GET', '/api/v1/query/%ff')).toEqual({ kind: 'malformed' });
  });
});
