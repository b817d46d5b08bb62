/** The exception form: what its tool offers, and the rule that the fields describe. Pure. */
import type { ExceptionPrefill } from '#renderer/state/tab-payload.ts';
import { exceptionFieldOf } from '#shared/exceptions/from-query.ts';
import { type ExceptionRule, type RuleCondition, ruleOf } from '#shared/exceptions/rule.ts';
import {
  allExceptionTypes,
  type ExceptionField,
  type ExceptionList,
  exceptionField,
  exceptionFields,
  exceptionTypes,
  type Matching,
} from '#shared/exceptions/types.ts';
import { type ExceptionError, enteredValue, validateRule } from '#shared/exceptions/validate.ts';
import { isOwnList, listLabel } from '#shared/exceptions/words.ts';
import type { Exception } from '#shared/model/entities.ts';
import { isMd5 } from '#shared/model/hashes.ts';
import { classifyIoc } from '#shared/model/ioc.ts';

export type Flags = Readonly<Record<string, boolean>>;

export interface FurtherCondition extends RuleCondition {
  key: string;
}

export interface ExceptionForm {
  /** The specification's id of the tool. */
  tool: string;
  type: string;
  list: ExceptionList;
  field: string;
  matching: Matching;
  value: string;
  /** Additional conditions that must also match; those without a value are ignored. */
  and: readonly FurtherCondition[];
  comment: string;
  isExclusive: boolean;
  /** The entity it is created from. */
  from: ExceptionPrefill['from'];
}

export interface TypeChoice {
  /** Unique among the choices of a tool. */
  key: string;
  listKey: string;
  listLabel: string;
  list: ExceptionList;
  type: string;
  field: string;
  label: string;
}

export const ANTI_PHISHING = 'ap_{product}';
export const FILE_TOOL = 'checkpoint_te';

/**
 * What a tool offers under these flags. `served` are ids of types that the service takes, or null if unknown, and
 * every known type is offered.
 */
export function typeChoices(tool: string, flags: Flags, served: ReadonlySet<string> | null): TypeChoice[] {
  return exceptionTypes(tool, flags)
    .types.filter(({ id }) => served === null || served.has(id))
    .flatMap((type) => {
      const lists: ExceptionList[] = type.list === null ? ['allow', 'block'] : [type.list];
      return lists.flatMap((list) =>
        exceptionFields(type, flags).map(({ id, label }) => ({
          key: `${type.id}/${list}/${id}`,
          listKey: isOwnList(type) ? type.id : list,
          listLabel: listLabel({ tool, type: type.id, list }),
          list,
          type: type.id,
          field: id,
          label: type.fields.length > 1 ? label : type.label,
        })),
      );
    });
}

export const choiceKey = ({ type, list, field }: Pick<ExceptionForm, 'type' | 'list' | 'field'>): string =>
  `${type}/${list}/${field}`;

export const listsOf = (choices: readonly TypeChoice[]): { key: string; label: string }[] => [
  ...new Map(choices.map(({ listKey, listLabel }) => [listKey, { key: listKey, label: listLabel }])).values(),
];

/** The matching to use: the wanted one if the field supports it, else the field's usual one. */
const matchingFor = (field: string, matching: Matching | null = null): Matching => {
  const matchings = exceptionField(field)?.matchings ?? [];
  return matching !== null && matchings.includes(matching) ? matching : (matchings[0] ?? 'exact');
};

/** The form with another choice; conditions that the new type does not support are removed. */
export function withChoice(form: ExceptionForm, choice: TypeChoice): ExceptionForm {
  const fields = allExceptionTypes(form.tool).find(({ id }) => id === choice.type)?.fields ?? [];
  const { type, list, field } = choice;
  return {
    ...form,
    type,
    list,
    field,
    matching: field === form.field ? form.matching : matchingFor(field),
    and: form.and.filter((part) => fields.includes(part.field) && part.field !== field),
  };
}

export function withList(
  form: ExceptionForm,
  listKey: string,
  choices: readonly TypeChoice[],
): ExceptionForm {
  const choicesOfList = choices.filter((choice) => choice.listKey === listKey);
  const choice =
    choicesOfList.find(({ field, type }) => field === form.field && type === form.type) ??
    choicesOfList.find(({ field }) => field === form.field) ??
    choicesOfList[0];
  return choice ? withChoice(form, choice) : form;
}

/** Fields of other tools for the same kind of value, so that changing the tool keeps the input. */
const ALIKE: readonly (readonly string[])[] = [
  ['md5', 'hash'],
  ['from_email', 'sender_email', 'user'],
  ['recipient', 'recipient_email'],
  ['from_domain', 'domain'],
  ['links', 'url'],
  ['nickname', 'sender_name'],
  ['subject', 'text_content', 'payload'],
];

/** The choice for this field or an equivalent one, preferably in this list. */
export function choiceLike(
  choices: readonly TypeChoice[],
  field: string,
  list: ExceptionList,
): TypeChoice | undefined {
  const alike = ALIKE.find((group) => group.includes(field)) ?? [field];
  const fits = choices.filter((choice) => alike.includes(choice.field));
  return fits.find((choice) => choice.list === list) ?? fits[0];
}

export function withTool(form: ExceptionForm, tool: string, choices: readonly TypeChoice[]): ExceptionForm {
  const choice = choiceLike(choices, form.field, form.list) ?? choices[0];
  if (!choice) return { ...form, tool, and: [] };
  return withChoice({ ...form, tool, matching: matchingFor(choice.field, form.matching), and: [] }, choice);
}

export function emptyForm(tool: string, choices: readonly TypeChoice[]): ExceptionForm {
  const first = choices.find(({ list }) => list === 'block') ?? choices[0];
  const form: ExceptionForm = {
    tool,
    type: first?.type ?? '',
    list: first?.list ?? 'block',
    field: first?.field ?? '',
    matching: matchingFor(first?.field ?? ''),
    value: '',
    and: [],
    comment: '',
    isExclusive: false,
    from: null,
  };
  const domain = choices.find((choice) => choice.list === form.list && choice.field === 'from_domain');
  return domain ? withChoice(form, domain) : form;
}

/** A block entry for a value picked elsewhere, of anti-phishing where that tool supports the value. */
export function formOf(
  { value, from }: ExceptionPrefill,
  choicesOf: (tool: string) => readonly TypeChoice[],
): ExceptionForm {
  const kind = value.kind === 'text' ? 'text' : (classifyIoc(value.value)?.type ?? value.kind);
  const field = exceptionFieldOf(value.field, kind) ?? 'subject';
  const ofFile = from?.type === 'file' || (field === 'md5' && !isMd5(value.value));
  const tool = ofFile ? FILE_TOOL : ANTI_PHISHING;
  const choices = choicesOf(tool);
  const form = emptyForm(tool, choices);
  const choice = choiceLike(choices, field, 'block');
  return { ...(choice ? withChoice(form, choice) : form), value: value.value, from };
}

/** A new form prefilled from a listed entry, or null if its type is unknown. */
export function formOfEntry(
  tool: string,
  entry: Pick<Exception, 'type' | 'string' | 'payload' | 'list' | 'comment' | 'is_exclusive'>,
): ExceptionForm | null {
  const rule = ruleOf(tool, entry);
  const [first, ...and] = rule?.conditions ?? [];
  if (rule === null || !first) return null;
  return {
    tool,
    type: rule.type,
    list: rule.list,
    field: first.field,
    matching: first.matching,
    value: first.value,
    and: and.map((part, index) => ({ ...part, key: `and${index}` })),
    comment: entry.comment ?? '',
    isExclusive: entry.is_exclusive ?? false,
    from: null,
  };
}

/** As it will be stored: defanged values are restored; text is unchanged. */
const stored = ({ field, matching, value }: RuleCondition): RuleCondition => ({
  field,
  matching,
  value: enteredValue(field, value),
});

const used = (form: ExceptionForm) => form.and.filter(({ value }) => value.trim() !== '');

export function ruleOfForm(form: ExceptionForm): ExceptionRule {
  const { tool, type, list } = form;
  return { tool, type, list, conditions: [form, ...used(form)].map(stored) };
}

/** Validation errors by field: tool, type, matching, string, comment, or a further condition's key. */
export function problemsOf(form: ExceptionForm, flags: Flags): Map<string, ExceptionError> {
  const problems = new Map<string, ExceptionError>();
  const further = used(form);
  for (const error of validateRule(ruleOfForm(form), flags, form.comment)) {
    const position = /^and\.(\d+)\./.exec(error.field)?.[1];
    const key = position === undefined ? error.field : (further[Number(position)]?.key ?? error.field);
    if (!problems.has(key)) problems.set(key, error);
  }
  return problems;
}

/** The problems to report: an empty field is one only after saving was attempted, not while the form is filled in. */
export const reportedProblems = (
  problems: ReadonlyMap<string, ExceptionError>,
  attempted: boolean,
): ReadonlyMap<string, ExceptionError> =>
  new Map([...problems].filter(([, { code }]) => attempted || code !== 'required'));

export function furtherFields(form: ExceptionForm, flags: Flags): ExceptionField[] {
  const type = allExceptionTypes(form.tool).find(({ id }) => id === form.type);
  return type ? exceptionFields(type, flags).filter(({ id }) => id !== form.field) : [];
}

/** Adds a condition on the first field that has none yet; returns the form unchanged if none is left. */
export function withFurther(form: ExceptionForm, flags: Flags, key: string): ExceptionForm {
  const usedFields = new Set(form.and.map(({ field }) => field));
  const fields = furtherFields(form, flags);
  const field = ['md5', 'subject'].find(
    (id) => !usedFields.has(id) && fields.some((field) => field.id === id),
  );
  const next = field ?? fields.find(({ id }) => !usedFields.has(id))?.id;
  if (next === undefined) return form;
  return {
    ...form,
    and: [...form.and, { key, field: next, matching: matchingFor(next), value: '' }],
  };
}

export const isTouched = (form: ExceptionForm): boolean =>
  form.value.trim() !== '' || form.comment.trim() !== '' || used(form).length > 0;
