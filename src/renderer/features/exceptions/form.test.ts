import { describe, expect, it } from 'vitest';
import { SECURITY_TOOLS } from '#shared/model/enums.ts';
import { FEATURE_FLAGS } from '#shared/model/flags.ts';
import {
  ANTI_PHISHING,
  choiceKey,
  emptyForm,
  formOf,
  formOfEntry,
  isTouched,
  listsOf,
  problemsOf,
  ruleOfForm,
  typeChoices,
  withChoice,
  withFurther,
  withList,
  withTool,
} from './form.ts';

const ON = Object.fromEntries(FEATURE_FLAGS.map(({ name }) => [name, true]));
const MD5 = 'd41d8cd98f00b204e9800998ecf8427e';
const choices = typeChoices(ANTI_PHISHING, ON, null);
const form = emptyForm(ANTI_PHISHING, choices);
const codes = (of: typeof form, flags = ON) =>
  Object.fromEntries([...problemsOf(of, flags)].map(([field, { code }]) => [field, code]));

describe('what a tool offers', () => {
  it('[spec 5] is limited to what the feature flags and the service allow', () => {
    expect(listsOf(choices).map(({ label }) => label)).toEqual(['Allow', 'Block', 'Allow, not spam']);
    const few = typeChoices(ANTI_PHISHING, {}, null);
    expect(few.map(({ field }) => field)).not.toContain('nickname');
    expect(listsOf(few)).toHaveLength(2);
    expect(typeChoices(ANTI_PHISHING, ON, new Set(['blacklist'])).every(({ list }) => list === 'block')).toBe(
      true,
    );
    expect(typeChoices('nobody', ON, null)).toEqual([]);
  });

  it('every tool has an empty form that lacks only a value', () => {
    for (const tool of SECURITY_TOOLS) {
      const expected = typeChoices(tool, ON, null);
      const empty = emptyForm(tool, expected);
      expect(expected.map(({ key }) => key)).toContain(choiceKey(empty));
      expect(codes(empty)).toEqual({ string: 'required' });
      expect(isTouched(empty)).toBe(false);
    }
  });
});

describe('the form', () => {
  it('keeps what was typed when list, type or tool change', () => {
    const hash = withChoice(
      { ...form, value: MD5 },
      choices.find(({ field }) => field === 'md5') ?? choices[0]!,
    );
    expect(hash.matching).toBe('exact');
    const allowed = withList(hash, 'whitelist', choices);
    expect(allowed).toMatchObject({ list: 'allow', type: 'whitelist', field: 'md5', value: MD5 });
    const files = withTool(allowed, 'checkpoint_te', typeChoices('checkpoint_te', ON, null));
    expect(files).toMatchObject({ tool: 'checkpoint_te', list: 'allow', field: 'hash', value: MD5 });
    expect(codes(files)).toEqual({});
  });

  it('validates its value and each further condition separately', () => {
    expect(codes({ ...form, value: '@b.example' })).toEqual({});
    expect(codes({ ...form, value: 'a@b.example' })).toEqual({ string: 'invalidDomain' });
    const two = withFurther({ ...form, value: 'b.example' }, ON, 'k');
    expect(two.and).toMatchObject([{ field: 'md5', value: '' }]);
    expect(codes(two)).toEqual({});
    const wrong = { ...two, and: two.and.map((item) => ({ ...item, value: 'f'.repeat(63) })) };
    expect(codes(wrong)).toEqual({ k: 'invalidMd5OrSha256' });
    expect(codes(wrong, { ...ON, sha256_anti_phishing_exceptions: false })).toEqual({ k: 'invalidMd5' });
    expect(codes({ ...form, value: 'b.example', comment: 'x'.repeat(1_001) })).toEqual({
      comment: 'tooLong',
    });
  });

  it('is converted for storage: values refanged, a domain’s @ removed, empty conditions left out', () => {
    const rule = ruleOfForm(withFurther({ ...form, value: ' @B[.]example ' }, ON, 'k'));
    expect(rule.conditions).toEqual([{ field: 'from_domain', matching: 'ends_with', value: 'b.example' }]);
    const text = ruleOfForm({
      ...form,
      field: 'subject',
      matching: 'contains',
      value: 'see hxxp://b[.]example',
    });
    expect(text.conditions[0]?.value).toBe('see hxxp://b[.]example');
  });

  it('adds no further condition once every field has one', () => {
    let full = form;
    for (let n = 0; n < 20; n++) full = withFurther(full, ON, String(n));
    expect(new Set(full.and.map(({ field }) => field)).size).toBe(full.and.length);
    expect(full.and.some(({ field }) => field === full.field)).toBe(false);
  });
});

describe('a prefilled form', () => {
  const of = (kind: string, value: string, field?: string, type?: 'email' | 'file') =>
    formOf(
      {
        value: { kind, value, ...(field ? { field } : {}) },
        from: type ? { type, entityId: 'e', title: 't' } : null,
      },
      (tool) => typeChoices(tool, ON, null),
    );
  it.each([
    ['email', 'a@b.example', undefined, ANTI_PHISHING, 'from_email'],
    ['email', 'a@home.example', 'recipients', ANTI_PHISHING, 'recipient'],
    ['domain', 'b.example', undefined, ANTI_PHISHING, 'from_domain'],
    ['ip', '192.0.2.7', undefined, ANTI_PHISHING, 'client_ip'],
    ['url', 'https://b.example/x', undefined, ANTI_PHISHING, 'links'],
    ['hash', MD5, undefined, ANTI_PHISHING, 'md5'],
    ['hash', 'a'.repeat(64), undefined, 'checkpoint_te', 'hash'],
    ['text', 'Invoice', 'subject', ANTI_PHISHING, 'subject'],
    ['text', 'a.example', 'from_name', ANTI_PHISHING, 'nickname'],
    ['email', 'a@b.example', '__proto__', ANTI_PHISHING, 'from_email'],
  ])('%s %s (%s) becomes %s %s', (kind, value, field, tool, expected) => {
    const form = of(kind, value, field);
    expect(form).toMatchObject({ tool, field: expected, list: 'block', value });
    expect(codes(form)).toEqual({});
  });

  it('keeps its entity; files use the file tool', () => {
    expect(of('hash', MD5, undefined, 'file')).toMatchObject({
      tool: 'checkpoint_te',
      field: 'hash',
      from: { type: 'file' },
    });
  });

  it('can be created from a listed entry of a known type', () => {
    const entry = {
      type: 'blacklist',
      string: 'b.example',
      payload: { field: 'from_domain', matching: 'exact' },
    };
    expect(formOfEntry(ANTI_PHISHING, { ...entry, comment: 'c', is_exclusive: true })).toMatchObject({
      list: 'block',
      matching: 'exact',
      value: 'b.example',
      comment: 'c',
      isExclusive: true,
    });
    expect(formOfEntry(ANTI_PHISHING, { type: 'ml_bypass', string: 'x' })).toBeNull();
  });
});
