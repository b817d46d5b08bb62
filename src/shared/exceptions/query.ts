/** An exception as an editable query over emails, to list what it matches on the service. */
import { isMd5 } from '../model/hashes.ts';
import type { Condition, ConditionGroup } from '../query/tree.ts';
import type { RuleCondition } from './rule.ts';
import { bareDomain } from './validate.ts';

const conditionOf = (field: string, operator: string, ...values: string[]): Condition => ({
  field,
  operator,
  values,
});
const any = (...conditions: Condition[]): ConditionGroup => ({ operator: 'or', conditions });
const hostOf = (url: string): string =>
  (url.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '').split(/[/?#]/, 1)[0] ?? '').toLowerCase();

function text(field: string, { matching, value }: RuleCondition): Condition {
  if (matching === 'contains') return conditionOf(field, 'contains_text', value);
  if (matching === 'matching') return conditionOf(field, 'contains_words', value);
  return conditionOf(field, matching === 'ends_with' ? 'ends_with' : 'is', value);
}

function domain(field: string, { matching, value }: RuleCondition): Condition | ConditionGroup {
  const name = bareDomain(value).toLowerCase();
  if (matching === 'contains') return conditionOf(field, 'contains_text', name);
  if (matching === 'ends_with')
    return any(conditionOf(field, 'is', name), conditionOf(field, 'ends_with', `.${name}`));
  return conditionOf(field, 'is', name);
}

function nodeOf(condition: RuleCondition): Condition | ConditionGroup | null {
  const { field, value } = condition;
  switch (field) {
    case 'from_email':
    case 'sender_email':
      return text('from_email', condition);
    case 'from_domain':
      return domain('from_domain', condition);
    case 'nickname':
    case 'sender_name':
      return text('from_name', condition);
    case 'recipient':
    case 'recipient_email':
      return text('recipients', condition);
    case 'user':
      return any(conditionOf('from_email', 'is', value), conditionOf('recipients', 'is', value));
    case 'client_ip':
      return conditionOf('client_ip', 'in_network', value);
    case 'subject':
      return text('subject', condition);
    case 'md5':
    case 'hash':
      return conditionOf(isMd5(value) ? 'attachment_md5' : 'attachment_sha256', 'is', value.toLowerCase());
    case 'links':
    case 'url':
      return conditionOf(
        'link_domains',
        condition.matching === 'contains' ? 'contains_text' : 'is',
        hostOf(value),
      );
    case 'domain':
      return domain('link_domains', condition);
    case 'file_type':
      return conditionOf('attachment_names', 'ends_with', `.${value}`);
    default:
      return null;
  }
}

/** Whether the rule names a path, of which results and queries have only the host. */
export const hasUncomparedPath = ({ field, value }: RuleCondition): boolean =>
  (field === 'links' || field === 'url') && /[/?#]./.test(value.replace(/^[a-z]+:\/\//i, ''));

/** Null if some condition has no corresponding email field. */
export function ruleQuery(conditions: readonly RuleCondition[]): ConditionGroup | null {
  const nodes = conditions.map(nodeOf);
  return nodes.some((node) => node === null)
    ? null
    : { operator: 'and', conditions: nodes.filter((node) => node !== null) };
}
