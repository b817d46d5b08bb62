/**
 * One thing has one name: every tool, column and exception type has the same label on every screen, never its
 * identifier.
 */
import { describe, expect, it, test } from 'vitest';
import { actorWords, detailWords } from '#renderer/entity/events.ts';
import { extraFacts } from '#renderer/entity/extra-facts.ts';
import { readStack } from '#renderer/entity/stack-rows.ts';
import { entryRow } from '#renderer/features/exceptions/entry.ts';
import { listsOf, typeChoices } from '#renderer/features/exceptions/form.ts';
import { brandedConfig, valueWords } from '#renderer/features/queries/query-run.ts';
import { gridColumns } from '#renderer/features/queries/results/result-columns.tsx';
import { itemOf } from '#renderer/features/stack/catalogue.ts';
import { domainNamed } from '#service/store-sqlite/query/domains.ts';
import { exceptionOf } from '#shared/exceptions/rule.ts';
import { allExceptionTypes, exceptionField, MATCHING_LABELS } from '#shared/exceptions/types.ts';
import { DOMAINS, SECURITY_TOOLS } from '#shared/model/enums.ts';
import { FEATURE_FLAGS } from '#shared/model/flags.ts';
import { fieldLabel } from '#shared/model/labels.ts';
import { expandProduct, saasLabel, toolLabel } from '#shared/model/white-label.ts';

const BRANDING = { product: 'guard', name: 'Mail security' };
const ALL_FLAGS = Object.fromEntries(FEATURE_FLAGS.map(({ name }) => [name, true]));
/** Underscores, placeholders and vendor names must not appear in labels. */
const IDENTIFIER = /\w_\w|[{}]|check ?point|lastline|symantec|gtb|office365/i;
const isName = (label: string) => {
  expect(label).not.toBe('');
  expect(label).not.toMatch(IDENTIFIER);
};

describe('a security tool', () => {
  test.each(SECURITY_TOOLS)(
    '[spec 1] %s has the same name on every screen, whatever the service calls it',
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

  it('that is unknown has the name that the service gives it, on every screen', () => {
    const app = { name: 'new_engine', label: 'New engine', state: 'enabled', is_saas: false };
    const detail = { tool: 'new_engine', label: 'New engine', status: 'clean', applicable: true };
    expect(itemOf(app, BRANDING).label).toBe('New engine');
    expect(readStack([detail], BRANDING).rows[0]?.label).toBe('New engine');
    // Also if only the catalogue has its label.
    expect(readStack([{ ...detail, label: null }], BRANDING, [app]).rows[0]?.label).toBe('New engine');
  });
});

describe('a column of a query', () => {
  test.each(DOMAINS)('%s: every field and each of its values has a label', (name) => {
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

test('[promise] cells are copied and exported with the labels of the grid: no identifier of a tool or an app', () => {
  const domain = domainNamed('email', false);
  const saas = [{ value: 'office365_emails', label: 'Microsoft 365 Mail' }];
  const fields = (domain?.fields ?? []).map(({ config }) =>
    config.id === 'saas' ? { ...config, allowedValues: saas } : config,
  );
  const config = brandedConfig({ operators: [], columns: [], conditions: [], actions: [], fields }, BRANDING);
  const columns = ['stack', 'saas', 'verdict'].map((id) => {
    const field = config.fields.find((field) => field.id === id);
    return { id, label: id, type: field?.type ?? '', multiValues: field?.multiValues === true };
  });
  const row = { id: 'e', cells: [['checkpoint_te:found'], 'office365_emails', 'found'] };
  const entities = gridColumns(columns, config, { declared: [], visible: new Set(), zone: 'UTC' }).map(
    ({ entity }) => entity?.(row),
  );
  expect(entities).toMatchObject([
    { value: 'checkpoint_te:found', called: 'Sandbox: Found' },
    { value: 'office365_emails', called: 'Microsoft 365 Mail' },
    { value: 'found' },
  ]);
  expect(entities[2]).not.toHaveProperty('called');
  for (const { id, allowedValues } of config.fields)
    for (const { value } of allowedValues ?? []) {
      const words = valueWords(config.fields.filter((field) => field.id === id)) ?? {};
      if (IDENTIFIER.test(String(value)) && /check|office|lastline|gtb|symantec/i.test(String(value)))
        isName(words[String(value)] ?? '');
    }
});

describe('[spec 1] an app has the same name on every screen', () => {
  const apps = [{ name: 'office365_emails', label: 'Microsoft 365 Mail', is_saas: true }];
  it.each([
    ['office365_emails', 'Microsoft 365 Mail'],
    ['exch_onprem', 'Exchange, on premises'],
    ['some_old_app', 'Some old app'],
  ])('%s is %s, listed or not', (id, label) => {
    expect(saasLabel(id, apps, BRANDING)).toBe(label);
    isName(label);
  });
});

test.each(DOMAINS)(
  "[spec 1] the config of %s uses this console's names for tools, whatever its service calls them",
  (name) => {
    const domain = domainNamed(name, false);
    const all = {
      operators: [],
      columns: [],
      conditions: [],
      actions: [],
      fields: (domain?.fields ?? []).map(({ config }) => config),
    };
    const branding = { product: 'guard', name: 'Aldermoor Shield' };
    for (const { allowedValues } of brandedConfig(all, branding).fields)
      for (const { value, label } of allowedValues ?? []) {
        isName(label);
        const tool = /^(.+):[\w-]+$/.exec(String(value))?.[1];
        if (tool !== undefined) expect(label.startsWith(`${toolLabel(tool, branding)}: `)).toBe(true);
      }
  },
);

describe('an exception', () => {
  test.each(SECURITY_TOOLS)('of %s has the same labels in the form, the list and the file', (tool) => {
    const choices = typeChoices(tool, ALL_FLAGS, null);
    for (const { label } of [...choices, ...listsOf(choices)]) isName(label);
    for (const type of allExceptionTypes(tool)) {
      isName(type.label);
      for (const field of type.fields) {
        const exceptionType = exceptionField(field);
        isName(exceptionType?.label ?? '');
        for (const matching of exceptionType?.matchings ?? []) isName(MATCHING_LABELS[matching]);
        const list = type.list ?? 'block';
        const value = exceptionType?.kind === 'hash' ? 'a'.repeat(32) : 'x.example';
        const rule = {
          tool,
          type: type.id,
          list,
          conditions: [{ field, matching: exceptionType?.matchings[0] ?? ('exact' as const), value }],
        };
        const row = entryRow({ ...exceptionOf(rule), sec_type: tool }, 0, BRANDING.product, tool);
        const choice = choices.find(
          (exception) => exception.type === type.id && exception.field === field && exception.list === list,
        );
        // A hash is labelled by its length, everything else as in the form.
        if (exceptionType?.kind === 'hash' && field !== 'macro_hash') expect(row.type).toBe('MD5');
        else expect(row.type).toBe(choice?.label);
      }
    }
  });
});

test('fields and options that only a service knows have readable labels', () => {
  expect(
    ['learns_from_reports', 're_evaluated_at', 'largest_file_mb', 'client_ip', 'spf', 'days_left'].map(
      fieldLabel,
    ),
  ).toEqual(['Learns from reports', 'Re-evaluated', 'Largest file (MB)', 'Client IP', 'SPF', 'Days left']);
  expect(extraFacts({ re_evaluated_at: '2026-11-19' }, {}, 'utc')).toEqual([
    { label: 'Re-evaluated', value: '2026-11-19' },
  ]);
});
