import { describe, expect, it } from 'vitest';
import type { QueryConfig } from '#shared/model/entities.ts';
import { conditionFor } from './entity-actions.ts';

const field = (id: string, operators: string[]) => ({ id, dbId: id, label: id, type: 'text', operators });
const config: QueryConfig = {
  operators: [],
  fields: [
    field('subject', ['contains_words', 'is']),
    field('from_email', ['is', 'is_not', 'contains_text']),
    field('from_domain', ['is', 'is_not']),
    field('link_domains', ['contains_any', 'is_not']),
    field('attachment_sha256', ['in_list', 'not_in_list']),
    field('message_id', ['is']),
    field('size', ['between']),
  ],
  columns: [],
  conditions: [],
  actions: [],
};
const SHA256 = '9c4e07d1a6f2b85530c7e4911fd2aa6e8b13d90c4f5761e2a9d8037cbe54b71f';

describe('conditionFor', () => {
  it.each([
    ['email', 'a@b.example', false, 'from_email', 'is', 'a@b.example'],
    ['email', 'a@b.example', true, 'from_email', 'is_not', 'a@b.example'],
    ['domain', 'b.example', false, 'from_domain', 'is', 'b.example'],
    ['hash', SHA256, false, 'attachment_sha256', 'in_list', SHA256],
    ['hash', SHA256, true, 'attachment_sha256', 'not_in_list', SHA256],
    ['url', 'https://b.example/a?b', false, 'link_domains', 'contains_any', 'b.example'],
    ['text', 'invoice overdue', false, 'subject', 'contains_words', 'invoice overdue'],
    ['message-id', '<1@b.example>', false, 'message_id', 'is', '<1@b.example>'],
  ])('%s %s (out: %s)', (kind, value, negate, expected, operator, expectedValue) => {
    expect(conditionFor(config, { kind, value }, negate)).toEqual({
      field: expected,
      operator,
      values: [expectedValue],
    });
  });

  it('takes the field that the value came from', () => {
    expect(conditionFor(config, { kind: 'email', value: 'a@b.example', field: 'subject' })?.field).toBe(
      'subject',
    );
  });

  it.each([
    ['a kind without a field', { kind: 'ip', value: '203.0.113.7' }, false],
    ['a field without a fitting operator', { kind: 'text', value: '12', field: 'size' }, false],
    ['no way to leave it out', { kind: 'text', value: 'invoice' }, true],
  ])('is null for %s', (_, entity, negate) => expect(conditionFor(config, entity, negate)).toBeNull());
});
