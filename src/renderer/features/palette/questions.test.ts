import { expect, it } from 'vitest';
import type { QueryConfig } from '#shared/model/entities.ts';
import { extractIocs } from '#shared/model/ioc.ts';
import { askOfHeader, askOfMany, asksOfValue, asksOfWords, questionOf } from './questions.ts';

const field = (id: string, operators: string[]) => ({ id, dbId: id, label: id, type: 'text', operators });
const config = (...fields: ReturnType<typeof field>[]): QueryConfig => ({
  operators: [],
  fields,
  columns: [],
  conditions: [],
  actions: [],
});
const EMAIL = config(
  field('from_email', ['is', 'in_list', 'contains_text']),
  field('from_domain', ['is', 'in_list']),
  field('link_domains', ['is', 'contains_any']),
  field('subject', ['contains_words']),
  field('attachment_sha256', ['is']),
);

it('several indicators become one query, with a list per field or a condition per value', () => {
  const iocs = extractIocs(`m@a.example b[.]example c.example ${'a'.repeat(64)} ${'b'.repeat(64)}`, {
    hosts: false,
  });
  const question = questionOf(askOfMany(iocs), EMAIL);
  expect(question?.query.name).toBe('Emails with any of 5 indicators');
  expect(question?.query.filter).toEqual({
    operator: 'or',
    conditions: [
      { field: 'from_email', operator: 'in_list', values: ['m@a.example'] },
      { field: 'from_domain', operator: 'in_list', values: ['b.example', 'c.example'] },
      { field: 'link_domains', operator: 'contains_any', values: ['b.example', 'c.example'] },
      { field: 'attachment_sha256', operator: 'is', values: ['a'.repeat(64)] },
      { field: 'attachment_sha256', operator: 'is', values: ['b'.repeat(64)] },
    ],
  });
  expect(question?.body).toMatchObject({ count_only: true, size: 0 });
});

it('a value is looked up in every field that the service has for it', () => {
  const questions = asksOfValue('domain', 'b.example', null)
    .filter(({ domain }) => domain === 'email')
    .map((ask) => questionOf(ask, EMAIL)?.query);
  expect(questions.map((query) => query?.name)).toEqual([
    'Emails from this domain: b.example',
    'Emails that link to this domain: b.example',
  ]);
  expect(questionOf(asksOfValue('ip', '192.0.2.1', null)[0] ?? asksOfWords('x')[0]!, EMAIL)).toBeNull();
});

it('[promise] a non-ASCII domain is also looked up in Punycode, and the other way round', () => {
  const question = (kind: 'domain' | 'address', value: string) =>
    questionOf(asksOfValue(kind, value, null)[0]!, EMAIL)?.query.filter?.conditions.flatMap((condition) =>
      'values' in condition ? condition.values : [],
    );
  const forms = ['аррӏе.example', 'xn--80ak6aa92e.example'];
  expect(question('domain', forms[0]!)).toEqual(forms);
  expect(question('domain', forms[1]!)).toEqual(forms.toReversed());
  expect(question('address', `m@${forms[0]}`)).toEqual(forms.map((host) => `m@${host}`));
  expect(question('domain', 'a.example')).toEqual(['a.example']);
  const [condition] = questionOf(askOfMany(extractIocs(forms[0]!, { hosts: false })), EMAIL)!.query.filter!
    .conditions;
  expect(condition).toMatchObject({ operator: 'in_list', values: forms });
});

it('[promise] words find people by name or address', () => {
  const users = asksOfWords('anna').find(({ id }) => id === 'users');
  const people = config(field('name', ['contains_text']), field('email', ['contains_text']));
  const question = users && questionOf(users, people);
  expect(question?.query.filter?.operator).toBe('or');
  expect(question?.body).toMatchObject({ count_only: false, size: 4, columns: ['name', 'email'] });
});

it('words are looked up in bodies if the service can search them', () => {
  const body = asksOfWords('paypal').find(({ id }) => id === 'body')!;
  expect(questionOf(body, EMAIL)).toBeNull();
  const question = questionOf(body, config(field('body', ['contains_words', 'contains_text'])));
  expect(question?.query).toMatchObject({
    name: 'Emails whose body contains “paypal”',
    filter: { conditions: [{ field: 'body', operator: 'contains_words', values: ['paypal'] }] },
  });
});

it('a header line is looked up by its beginning, where the service can search headers', () => {
  const ask = askOfHeader('X-Mailer: Foxmail');
  expect(questionOf(ask, EMAIL)).toBeNull();
  expect(questionOf(ask, config(field('headers', ['contains_text', 'starts_with'])))?.query).toMatchObject({
    name: 'Emails with the header “X-Mailer: Foxmail”',
    filter: { conditions: [{ field: 'headers', operator: 'starts_with', values: ['X-Mailer: Foxmail'] }] },
  });
});
