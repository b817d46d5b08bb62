/** The query domains of a store. */
import type { MailSource } from '../../store/mail-source.ts';
import type { DomainShape } from '../../store/rows.ts';
import type { Domain } from './definition.ts';
import { email, emailCopies, emailTexts, emailTextsCopies } from './email.ts';
import { click, file, group, message, user } from './others.ts';

const DOMAINS: ReadonlyMap<string, Domain> = new Map(
  [email, file, user, group, message, click].map((domain) => [domain.domain, domain]),
);

/** `source` is where the mail comes from; not every source stores its texts. Null if there is no such domain. */
export function domainNamed(
  name: string,
  copies: boolean,
  source?: Pick<MailSource, 'texts'>,
): Domain | null {
  if (name !== 'email') return DOMAINS.get(name) ?? null;
  if (source?.texts) return copies ? emailTextsCopies : emailTexts;
  return copies ? emailCopies : email;
}

export const shapeOf = ({ domain, fields, columns, sort, conditions, actions }: Domain): DomainShape => ({
  domain,
  fields: fields.map(({ config }) => config),
  columns,
  sort,
  conditions,
  actions,
});
