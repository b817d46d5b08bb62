import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import type { ExceptionRule } from '#shared/exceptions/rule.ts';
import { fakeBridge } from '#tests/support/reads.ts';
import { refusalOf, saveRule } from './save.ts';
import { outcomeOf, type Pasted, sendableRows } from './use-bulk.ts';

const RULE: ExceptionRule = {
  tool: 'ap_{product}',
  type: 'blacklist',
  list: 'block',
  conditions: [{ field: 'from_domain', matching: 'exact', value: 'b.example' }],
};
const MORE = { comment: ' ', isExclusive: false };

let sent: { endpoint: string; body: unknown }[] = [];
let answer: unknown = { success: true };
beforeEach(() => {
  sent = [];
  const call = async (_: string, { endpoint, body }: { endpoint: string; body: unknown }) => {
    sent.push({ endpoint, body });
    if (answer instanceof Error) throw answer;
    return { data: answer };
  };
  setWindowBridge(fakeBridge({ call }));
});
afterEach(() => {
  answer = { success: true };
});

describe('one rule', () => {
  it('is sent once, under the service’s tool id and without an empty comment', async () => {
    await saveRule('c', 'guard', RULE, MORE);
    expect(sent).toMatchObject([
      {
        endpoint: 'exceptions.create-external',
        body: { sec_type: 'ap_guard', exception: { comment: null } },
      },
    ]);
  });

  it('that the service did not save rejects', async () => {
    answer = { success: false };
    await expect(saveRule('c', 'guard', RULE, MORE)).rejects.toThrow(ParapetError);
  });
});

describe('a refusal', () => {
  it.each([
    ['exception.string', 'string'],
    ['exception.payload.field', 'type'],
    ['exception.list', 'type'],
    ['files.0', null],
    [undefined, null],
  ])('of %s is shown at %s', (field, index) => {
    const error = new ParapetError('bad-request', 'General', {
      data: { ...(field ? { field } : {}), serviceMessage: 'Own' },
    });
    expect(refusalOf(error)).toMatchObject({ field: index, message: 'Own' });
  });

  it('without a message from the service shows that of the error', () => {
    expect(refusalOf(new ParapetError('offline', 'No connection'))).toMatchObject({
      field: null,
      message: 'No connection',
    });
  });
});

it('rows parsed from another text, rule or set of flags are not sent', () => {
  const defaults = {
    tool: 'ap_{product}',
    type: 'blacklist',
    list: 'block',
    field: 'from_domain',
    matching: 'exact',
  } as const;
  const flags = {};
  const row = { line: 1, text: 'b.example', value: 'b.example', comment: null, rule: RULE, errors: [] };
  const wrong = { ...row, line: 2, rule: null };
  const read: Pasted = { text: 'b.example\n?', defaults, flags, rows: [row, wrong] };
  expect(sendableRows(read, 'b.example\n?', defaults, flags)).toEqual([row]);
  expect(sendableRows(read, 'other', defaults, flags)).toBeNull();
  expect(sendableRows(read, 'b.example\n?', { ...defaults }, flags)).toBeNull();
  expect(sendableRows(read, 'b.example\n?', defaults, {})).toBeNull();
});

it('after sending, saved lines are removed from the text, and the others keep their reason', () => {
  const row = (line: number, value: string) => ({ line, text: value, value });
  const sending = [row(1, 'a.example'), row(3, 'b.example'), row(4, 'c.example'), row(6, 'd.example')];
  const states = new Map([
    ['b.example', { state: 'failed', error: 'Refused' }],
    ['c.example', { state: 'unknown', error: null }],
    ['d.example', { state: 'not-sent', error: null }],
  ] as const);
  // A duplicate of a saved value would be ready next, and be sent again.
  const pasted = [...sending, row(5, 'wrong'), row(7, 'A.Example'), row(8, 'B.example')].sort(
    (a, b) => a.line - b.line,
  );
  const { saved, reasons, kept, isStopped } = outcomeOf(sending, states, pasted);
  expect([saved, kept, isStopped]).toEqual([
    1,
    ['b.example', 'c.example', 'wrong', 'd.example', 'B.example'],
    true,
  ]);
  expect(reasons.get('b.example')).toBe('Refused');
  // An unknown outcome counts neither as saved nor as failed.
  expect(reasons.get('c.example')).toContain('Unknown whether it was saved');
  expect(reasons.has('d.example')).toBe(false);
});
