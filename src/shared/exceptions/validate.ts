/**
 * Validation of exceptions to the letter of the specification, section 5; pure, so that form, paste and service agree.
 */

import { looksLikeDomain } from '../mail/domains.ts';
import { exceptionTarget } from '../model/exception-target.ts';
import { allowedHashes, HASH_ERROR_WORDS, type HashError, validateHash } from '../model/hashes.ts';
import { asAddress, asDomain } from '../model/ioc.ts';
import { pastedIndicator } from '../model/pasted.ts';
import { parseNetwork } from '../query/network.ts';
import type { ExceptionRule, RuleCondition } from './rule.ts';
import {
  allExceptionTypes,
  type ExceptionField,
  exceptionField,
  exceptionFields,
  exceptionTypes,
} from './types.ts';

type ExceptionErrorCode =
  | HashError
  | 'required'
  | 'tooLong'
  | 'controlCharacter'
  | 'invalidEmail'
  | 'invalidDomain'
  | 'invalidNetwork'
  | 'invalidUrl'
  | 'invalidFileType'
  | 'unknownTool'
  | 'unknownType'
  | 'hiddenType'
  | 'unknownField'
  | 'hiddenField'
  | 'unknownMatching';

export interface ExceptionError {
  /** tool, type, field, matching, string, comment; for a further condition such as `and.0.string`. */
  field: string;
  code: ExceptionErrorCode;
  message: string;
}

const VALUE_MAX = 2048;
const COMMENT_MAX = 1000;

type Flags = Readonly<Record<string, boolean>>;
const CONTROL = /\p{Cc}/u;
const URL_SCHEME = /^[a-z][a-z0-9+.-]*:/i;

function hashError(value: string, tool: string, flags: Flags): { code: HashError; message: string } | null {
  const code = validateHash(value, allowedHashes(tool, flags));
  if (code === null) return null;
  const shape = /^[0-9a-f]*$/i.test(value)
    ? ` This has ${value.length}.`
    : ' This has other characters as well.';
  return { code, message: `${HASH_ERROR_WORDS[code]}${shape}` };
}

/** "@x.example" is a domain: the leading sign is removed (section 5). */
export const bareDomain = (value: string): string =>
  exceptionTarget(value) === 'domain' && value.startsWith('@') ? value.slice(1) : value;

/** Includes internal names: `corp.local`, `mail.intern.lan`. */
const isDomain = (value: string): boolean =>
  asDomain(value) !== null || (/^[\w-]+(?:\.[\w-]+)+$/.test(value) && looksLikeDomain(value));
const isAddress = (value: string): boolean =>
  !value.includes('*') &&
  (asAddress(value) !== null ||
    (asAddress(`${value.slice(0, value.lastIndexOf('@'))}@a.example`) !== null &&
      isDomain(value.slice(value.lastIndexOf('@') + 1))));

function isUrlLike(value: string): boolean {
  if (/\s/.test(value)) return false;
  if (URL_SCHEME.test(value)) return /^(?:https?|ftps?):\/\/[^/?#\s]+/i.test(value);
  const host = value.split(/[/?#]/, 1)[0] ?? '';
  const name = host.replace(/:\d+$/, '');
  return isDomain(name) || parseNetwork(name) !== null;
}

/** Validates a value; "contains" takes a fragment, which is not validated as a whole. */
function valueError(
  { kind }: ExceptionField,
  condition: RuleCondition,
  tool: string,
  flags: Flags,
): { code: ExceptionErrorCode; message: string } | null {
  const { value, matching } = condition;
  const piece = matching === 'contains';
  switch (kind) {
    case 'hash':
      return hashError(value, tool, flags);
    case 'email':
      // "An exception target with '@' at a position after the first character counts as an email. Otherwise it is a domain."
      if (piece ? !/\s/.test(value) : exceptionTarget(value) === 'email' && isAddress(value)) return null;
      return {
        code: 'invalidEmail',
        message: /^\*@/.test(value)
          ? 'Addresses match exactly. To match a whole domain, choose a domain field.'
          : exceptionTarget(value) === 'domain' && isDomain(bareDomain(value))
            ? 'This is a domain. Choose a domain field, or enter a full address.'
            : 'Not an email address: enter one like name@domain.example.',
      };
    case 'domain':
      if (exceptionTarget(value) === 'email')
        return {
          code: 'invalidDomain',
          message: 'This is an email address. Choose an address field, or enter the domain only.',
        };
      if (piece ? /^[\p{L}\p{N}\p{M}._-]+$/u.test(bareDomain(value)) : isDomain(bareDomain(value)))
        return null;
      return { code: 'invalidDomain', message: 'Not a domain: enter one like domain.example.' };
    case 'network':
      return parseNetwork(value) !== null
        ? null
        : {
            code: 'invalidNetwork',
            message: 'Not an IP address or network: enter one like 192.0.2.7 or 192.0.2.0/24.',
          };
    case 'url':
      return (piece && !/\s/.test(value)) || isUrlLike(value)
        ? null
        : {
            code: 'invalidUrl',
            message: 'Not a URL: enter one like https://domain.example/path, without spaces.',
          };
    case 'file-type':
      return /^\.?[a-z0-9][a-z0-9_+-]{0,15}$/i.test(value)
        ? null
        : { code: 'invalidFileType', message: 'Not a file type: enter an extension like docm or .iso.' };
    case 'text':
      return null;
  }
}

function conditionErrors(
  rule: ExceptionRule,
  condition: RuleCondition,
  prefix: string,
  flags: Flags,
): ExceptionError[] {
  const error = (field: string, code: ExceptionErrorCode, message: string): ExceptionError[] => [
    { field: `${prefix}${field}`, code, message },
  ];
  const type = allExceptionTypes(rule.tool).find(({ id }) => id === rule.type);
  const field = exceptionField(condition.field);
  if (!type || field === null || !type.fields.includes(condition.field))
    return error('field', 'unknownField', 'This type doesn’t have this field.');
  if (!exceptionFields(type, flags).some(({ id }) => id === condition.field))
    return error('field', 'hiddenField', 'This field is turned off by the connection’s feature flags.');
  if (!field.matchings.includes(condition.matching))
    return error('matching', 'unknownMatching', `${field.label} doesn’t support this match.`);
  const { value } = condition;
  if (value.trim() === '') return error('string', 'required', 'Enter a value.');
  if (value.length > VALUE_MAX)
    return error('string', 'tooLong', `At most ${VALUE_MAX} characters; this has ${value.length}.`);
  if (CONTROL.test(value))
    return error('string', 'controlCharacter', 'The value contains a control character.');
  const wrong = valueError(field, condition, rule.tool, flags);
  return wrong === null ? [] : error('string', wrong.code, wrong.message);
}

/** Everything wrong with a rule; empty: it can be saved. Values are not trimmed first. */
export function validateRule(rule: ExceptionRule, flags: Flags, comment = ''): ExceptionError[] {
  const all = allExceptionTypes(rule.tool);
  if (all.length === 0)
    return [{ field: 'tool', code: 'unknownTool', message: 'This tool doesn’t support exceptions.' }];
  if (!all.some(({ id }) => id === rule.type))
    return [{ field: 'type', code: 'unknownType', message: 'This tool doesn’t have this type.' }];
  if (!exceptionTypes(rule.tool, flags).types.some(({ id }) => id === rule.type))
    return [
      {
        field: 'type',
        code: 'hiddenType',
        message: 'This type is turned off by the connection’s feature flags.',
      },
    ];
  const long: ExceptionError[] =
    comment.length > COMMENT_MAX
      ? [{ field: 'comment', code: 'tooLong', message: `At most ${COMMENT_MAX} characters.` }]
      : [];
  return [
    ...rule.conditions.flatMap((condition, index) =>
      conditionErrors(rule, condition, index === 0 ? '' : `and.${index - 1}.`, flags),
    ),
    ...long,
  ];
}

/** A value as stored: trimmed; hashes, hosts of addresses and domains in lower case, a domain without `@`. */
export function tidyValue(field: string, value: string): string {
  const text = value.trim();
  const kind = exceptionField(field)?.kind;
  if (kind === 'hash') return text.toLowerCase();
  if (kind === 'domain') return bareDomain(text).toLowerCase();
  if (kind === 'email') return asAddress(text) ?? text;
  if (kind === 'file-type') return text.toLowerCase().replace(/^\./, '');
  return text;
}

/** The same for typed or pasted input, without what other programs put around a value, except in text fields. */
export function enteredValue(field: string, value: string): string {
  const kind = exceptionField(field)?.kind ?? 'text';
  return tidyValue(field, kind === 'text' ? value : pastedIndicator(value, kind));
}
