import { describe, expect, it } from 'vitest';
import { journalSentence, reasonOf } from '#renderer/state/journal-words.ts';
import { catalogue } from '#shared/api/catalogue.ts';
import type { JournalAction, JournalEntry } from '#shared/bridge/operations.ts';
import { connectionName, filterWords, requestText, scopeLabel, targetCount } from './labels.ts';

const NONE = { pending: 0, sending: 0, done: 0, failed: 0, 'not-sent': 0, unknown: 0 };
const action = (targets: number, done: number, change: Partial<JournalAction> = {}): JournalAction => ({
  actionId: 'quarantine',
  actionLabel: 'Quarantine',
  params: {},
  reason: '',
  domain: 'email',
  saas: 'office365_emails',
  queryId: null,
  queryLabel: 'Invoice wave',
  scope: 'selected',
  targets,
  counts: { ...NONE, done, failed: targets - done },
  retryOf: null,
  undoOf: null,

  only: null,
  ...change,
});
const sentence = (
  endpoint: string,
  request: object,
  change: Partial<Pick<JournalEntry, 'about' | 'outcome' | 'action'>> = {},
) =>
  journalSentence({
    endpoint,
    request: JSON.stringify(request),
    about: null,
    outcome: 'done',
    action: null,
    ...change,
  });
const acted = (of: JournalAction, outcome: JournalEntry['outcome'] = 'done') =>
  sentence('query.action', {}, { action: of, outcome });

describe('labels of the journal', () => {
  it.each([
    [action(1500, 1500), '1,500'],
    [action(151, 140), '140 of 151'],
    [null, ''],
  ])('says how many targets were done', (of, words) => expect(targetCount({ action: of })).toBe(words));

  it.each([
    ['matching', 'All matching rows'],
    ['toString', 'toString'],
  ])('labels the scope %s', (scope, words) => expect(scopeLabel(scope)).toBe(words));

  it('names the filter, and the connection of an entry', () => {
    const filter = { text: ' invoice ', outcome: 'failed', kind: 'action', everywhere: false } as const;
    expect(filterWords(filter, 'Demo')).toBe('Demo, actions, failed, matching “invoice”');
    expect(filterWords({ text: '', outcome: '', kind: 'all', everywhere: true }, 'Demo')).toBe(
      'all connections',
    );
    expect(['a', 'b', ''].map((id) => connectionName([{ id: 'a', name: 'Demo' }], id))).toEqual([
      'Demo',
      'Removed connection',
      'No connection',
    ]);
  });

  it('indents JSON requests and makes bidi control characters visible', () => {
    expect(requestText('{"a":{"b":1}}')).toBe('{\n  "a": {\n    "b": 1\n  }\n}');
    expect(requestText('not json')).toBe('not json');
    expect(requestText('{"name":"a\u202eb"}')).not.toContain('\u202e');
  });
});

describe('the sentence for a journal entry', () => {
  it('uses the past tense only for changes that the service made', () => {
    expect(acted(action(96, 96))).toBe('Quarantined 96 emails from “Invoice wave”');
    expect(acted(action(96, 93), 'partial')).toBe('Quarantined 93 of 96 emails from “Invoice wave”');
    for (const outcome of ['failed', 'unknown', 'running'] as const)
      expect(acted(action(96, 0), outcome)).toBe('Quarantine 96 emails from “Invoice wave”');
    expect(acted(action(3, 3, { retryOf: 7 }))).toBe('Quarantined 3 emails from “Invoice wave” (retry)');
    expect(acted(action(3, 3, { undoOf: 7 }))).toBe('Quarantined 3 emails from “Invoice wave” (undo)');
    const only = { name: 'Invoice overdue', recipient: 'p.kaur@corp.example' };
    expect(acted(action(1, 1, { only }))).toBe(
      'Quarantined email “Invoice overdue” to p.kaur@corp.example from “Invoice wave”',
    );
  });

  it('falls back to the service’s label for actions without a verb of ours', () => {
    expect(acted(action(1, 1, { actionId: 'escalate', actionLabel: 'Escalate' }))).toBe(
      'Escalate: 1 email from “Invoice wave”',
    );
    expect(acted(action(1, 1, { actionId: 'delete', actionLabel: 'Move to trash' }))).toBe(
      'Move to trash: 1 email from “Invoice wave”',
    );
    expect(acted(action(1, 1, { actionId: 'constructor', actionLabel: 'Constructor' }))).toBe(
      'Constructor: 1 email from “Invoice wave”',
    );
  });

  it('describes changes of queries and exceptions', () => {
    const query = { actionId: 'delete', actionLabel: 'Delete', domain: 'query', queryLabel: 'DMARC' };
    expect(acted(action(1, 1, query))).toBe('Deleted query “DMARC”');
    const block = { actionId: 'block', actionLabel: 'Block', domain: 'exception' };
    expect(acted(action(30, 30, { ...block, queryLabel: '30 exceptions' }))).toBe(
      'Added 30 block exceptions',
    );
    const params = { tool: 'ap_guard', type: 'spam_whitelist', field: 'from_domain', matching: 'exact' };
    const allow = { ...block, actionId: 'allow', actionLabel: 'Allow, not spam', params };
    expect(acted(action(2, 2, { ...allow, queryLabel: '2 exceptions' }))).toBe(
      'Added 2 allow exceptions, not spam (From domain, Anti-phishing)',
    );
  });

  it('names the tool of exceptions that the service chose, and that it chose their list', () => {
    const chosen = {
      actionId: 'create-exceptions',
      actionLabel: 'Create exceptions for',
      params: { tool: 'ap_guard' },
      queryLabel: 'Inbox',
    };
    const sentence = (done: number, outcome: JournalEntry['outcome']) =>
      journalSentence({
        endpoint: 'exceptions.create',
        request: '{}',
        about: null,
        outcome,
        action: action(2, done, chosen),
      });
    expect(sentence(1, 'partial')).toBe(
      'Created exceptions for 1 of 2 emails from “Inbox” (Anti-phishing; list chosen by the service)',
    );
    expect(sentence(0, 'failed')).toBe(
      'Create exceptions for 2 emails from “Inbox” (Anti-phishing; list chosen by the service)',
    );
  });

  const mail = { entity_id: 'e1' };
  it.each([
    ['email.report', { body: { ...mail, report: 'phishing' } }, 'Reported as phishing: “Quick favour”'],
    ['email.report', { body: { ...mail, report: 'clean' } }, 'Reported as no threat: “Quick favour”'],
    [
      'entity.rescan',
      { body: { ...mail, src_entity_type: 'email' } },
      'Requested rescan of email “Quick favour”',
    ],
    [
      'entity.identify',
      { body: { ...mail, identifier: 'INC-1' } },
      'Set identifier “INC-1” on “Quick favour”',
    ],
    [
      'manual-actions.create',
      { body: { entity_ids: ['e1'], entity_type: 'email', data: { action: 'restore' }, date_trigger: null } },
      'Restored email “Quick favour”',
    ],
    [
      'manual-actions.create',
      {
        body: { entity_ids: ['e1'], entity_type: 'email', data: { action: 'delete' }, date_trigger: '2099' },
      },
      'Scheduled: delete email “Quick favour”',
    ],
    ['policies.send-result', { params: { id: '7' } }, 'Sent scheduled report “Quick favour”'],
    [
      'exceptions.create',
      {
        body: {
          files: [{ entity_type: 'email', entity_id: 'e1' }],
          exception: { payload: { list: 'allow' } },
        },
      },
      'Added allow exception: “Quick favour”',
    ],
  ])('%s', (endpoint, request, words) =>
    expect(sentence(endpoint, request, { about: 'Quick favour' })).toBe(words),
  );
  it.each([
    [{ body: { data: { action: 'restore', reason: 'INC-7' } } }, null, 'INC-7'],
    [{ body: { report: 'spam', comment: 'Newsletter' } }, null, 'Newsletter'],
    [{ body: { exception: { string: 'a.example', comment: 'INC-8' } } }, null, 'INC-8'],
    [{ body: { app_names: [] } }, null, null],
    [{}, action(2, 2, { reason: 'Wave' }), 'Wave'],
  ])('the reason in %j is that of the change', (request, of, reason) =>
    expect(reasonOf({ request: JSON.stringify(request), action: of })).toBe(reason),
  );
  it('quotes the subject, not its recipient', () =>
    expect(
      sentence(
        'email.report',
        { body: { ...mail, report: 'clean' } },
        { about: 'Lunch, to go, to p.kaur@corp.example' },
      ),
    ).toBe('Reported as no threat: “Lunch, to go” to p.kaur@corp.example'));

  it.each([
    ['query.save', { body: { name: 'DMARC' } }, 'Saved query “DMARC”'],
    ['query.delete', { params: { id: '7' } }, 'Deleted query 7'],
    ['query.import', { file: 'queries.json' }, 'Imported queries from queries.json'],
    ['query.import', { file: 'queries.json', count: 2 }, 'Imported 2 queries from queries.json'],
    ['policies.operation', { body: { operator: 'pause', policies_ids: ['1', '2'] } }, 'Paused 2 queries'],
    ['policies.operation', { body: { operator: 'toString', policies_ids: ['1'] } }, 'toString: query 1'],
    [
      'exceptions.create-external',
      { body: { exception: { string: 'bad.example' } } },
      'Added exception: bad.example',
    ],
    [
      'exceptions.create-external',
      {
        body: {
          sec_type: 'ap_guard',
          exception: {
            type: 'spam_whitelist',
            string: 'Invoice .*',
            payload: { field: 'subject', matching: 'matching' },
            is_exclusive: true,
          },
        },
      },
      'Added allow exception, not spam: Subject matching “Invoice .*”, exclusively (Anti-phishing)',
    ],
    [
      'exceptions.create-external',
      {
        body: {
          sec_type: 'anomaly_detection',
          exception: { type: 'user', string: 'a@b.example', payload: { field: 'user', matching: 'exact' } },
        },
      },
      'Added allow exception: User is “a@b.example” (Anomaly detection)',
    ],
    [
      'exceptions.create-external',
      {
        body: {
          sec_type: 'checkpoint_te',
          exception: { type: 'payload_without_link', string: 'pay', payload: { list: 'block' } },
        },
      },
      'Added block exception: Payload without link contains “pay” (Sandbox)',
    ],
    [
      'evidence.mark',
      { body: { ...mail, sentence: 'It asks for money', false_positive: true } },
      'Marked as false positive: “It asks for money”',
    ],
    ['evidence.mark', { body: { ...mail, false_positive: false } }, 'Counted again: e1'],
    ['parapet.fault', {}, 'Internal error'],
    ['a.call-of-later', {}, 'Called a.call-of-later'],
  ])('%s without a name', (endpoint, request, words) => expect(sentence(endpoint, request)).toBe(words));

  it('describes every write endpoint even if the request is unreadable', () => {
    for (const [endpoint, { effect }] of Object.entries(catalogue))
      if (effect === 'write')
        for (const request of ['', '[]', '{"body":7}', '{"omitted":123456}'])
          expect(
            journalSentence({ endpoint, request, about: null, outcome: 'unknown', action: null }),
          ).not.toMatch(/undefined|null|\[object|^Called/);
  });
});
