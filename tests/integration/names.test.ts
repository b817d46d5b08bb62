/** One thing has one name: every tool, column and exception type on the screens that show it, none by its identifier. */
import { describe, expect, it, test } from 'vitest';
import { actorWords, detailWords } from '#renderer/entity/events.ts';
import { extraFacts } from '#renderer/entity/extra-facts.ts';
import { readStack } from '#renderer/entity/stack-rows.ts';
import { entryRow } from '#renderer/features/exceptions/entry.ts';
import { listsOf, typeChoices } from '#renderer/features/exceptions/form.ts';
import { itemOf } from '#renderer/features/stack/catalogue.ts';
import { domainNamed } from '#service/query/config.ts';
import { exceptionOf } from '#shared/exceptions/rule.ts';
import { allExceptionTypes, exceptionField, MATCHING_LABELS } from '#shared/exceptions/types.ts';
import { DOMAINS, SECURITY_TOOLS } from '#shared/model/enums.ts';
import { FEATURE_FLAGS } from '#shared/model/flags.ts';
import { fieldLabel } from '#shared/model/labels.ts';
import { expandProduct, toolLabel } from '#shared/model/white-label.ts';

const BRANDING = { product: 'guard', name: 'Guard' };
const ALL_FLAGS = Object.fromEntries(FEATURE_FLAGS.map(({ name }) => [name, true]));
/** Words joined by underscores, placeholders and vendors: never a label. */
const IDENTIFIER = /\w_\w|[{}]|check ?point|lastline|symantec|gtb|office365/i;
const isName = (label: string) => {
  expect(label).not.toBe('');
  expect(label).not.toMatch(IDENTIFIER);
};

describe('a security tool', () => {
  test.each(SECURITY_TOOLS)(
    '%s is called the same on every screen, whatever the service calls it',
    (tool) => {
      const id = expandProduct(tool, BRANDING.product);
      const label = toolLabel(tool, BRANDING);
      isName(label);
      const app = { name: id, label: 'Vendor suite', state: 'enabled', is_saas: false };
      const detail = { tool: id, label: 'Vendor suite', status: 'clean', applicable: true };
      const event = { type: 'scanned', actor: id, actor_label: null };
      expect({
        catalogue: itemOf(app, BRANDING).label,
        stack: readStack([detail], BRANDING).rows.map((row) => row.label),
        exceptions: toolLabel(
          entryRow({ sec_type: id, type: 'hash', string: 'x' }, 0, 'guard', '').tool,
          BRANDING,
        ),
        events: actorWords(event, BRANDING),
        detail: detailWords({ detail: id }, BRANDING),
        byService: toolLabel(id, BRANDING),
      }).toEqual({
        catalogue: label,
        stack: [label],
        exceptions: label,
        events: label,
        detail: label,
        byService: label,
      });
    },
  );

  it('that is not known has the name that the service gives, on every screen', () => {
    const app = { name: 'new_engine', label: 'New engine', state: 'enabled', is_saas: false };
    const detail = { tool: 'new_engine', label: 'New engine', status: 'clean', applicable: true };
    expect(itemOf(app, BRANDING).label).toBe('New engine');
    expect(readStack([detail], BRANDING).rows[0]?.label).toBe('New engine');
  });
});

describe('a column of a query', () => {
  test.each(DOMAINS)('%s: every field and each of its values has a name', (name) => {
    const domain = domainNamed(name, true);
    expect(domain).not.toBeNull();
    for (const { config } of domain?.fields ?? []) {
      isName(config.label);
      for (const { value, label } of config.allowedValues ?? []) {
        isName(label);
        const tool = /^(.+):[\w-]+$/.exec(String(value))?.[1];
        if (tool !== undefined) expect(label.startsWith(`${toolLabel(tool, BRANDING)}: `)).toBe(true);
      }
    }
    for (const { label } of domain?.columns ?? []) isName(label);
  });
});

describe('an exception', () => {
  test.each(SECURITY_TOOLS)('of %s is named by the same words in the form, the list and the file', (tool) => {
    const choices = typeChoices(tool, ALL_FLAGS, null);
    for (const { label } of [...choices, ...listsOf(choices)]) isName(label);
    for (const type of allExceptionTypes(tool)) {
      isName(type.label);
      for (const field of type.fields) {
        const known = exceptionField(field);
        isName(known?.label ?? '');
        for (const matching of known?.matchings ?? []) isName(MATCHING_LABELS[matching]);
        const list = type.list ?? 'block';
        const value = known?.kind === 'hash' ? 'a'.repeat(32) : 'x.example';
        const rule = {
          tool,
          type: type.id,
          list,
          conditions: [{ field, matching: known?.matchings[0] ?? ('exact' as const), value }],
        };
        const row = entryRow({ ...exceptionOf(rule), sec_type: tool }, 0, BRANDING.product, tool);
        const choice = choices.find(
          (one) => one.type === type.id && one.field === field && one.list === list,
        );
        // A hash is named by its length, everything else as in the form.
        if (known?.kind === 'hash' && field !== 'macro_hash') expect(row.type).toBe('MD5');
        else expect(row.type).toBe(choice?.label);
      }
    }
  });
});

test('fields and options that only a service knows are named in words', () => {
  expect(
    ['learns_from_reports', 're_evaluated_at', 'largest_file_mb', 'client_ip', 'spf', 'days_left'].map(
      fieldLabel,
    ),
  ).toEqual(['Learns from reports', 'Re-evaluated', 'Largest file (MB)', 'Client IP', 'SPF', 'Days left']);
  expect(extraFacts({ re_evaluated_at: '2026-11-19' })).toEqual([
    { label: 'Re-evaluated', value: '2026-11-19' },
  ]);
});
