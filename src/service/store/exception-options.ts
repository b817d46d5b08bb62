/** exception/options and blacklist/options: values of an entity from which an exception can be made. */
import type { MatchSubject } from '#shared/exceptions/match.ts';
import { exceptionField } from '#shared/exceptions/types.ts';
import { isMd5 } from '#shared/model/hashes.ts';
import { subjectOfEmail, subjectOfFile } from './exceptions.ts';
import type { Store } from './store.ts';

export type ExceptionOption = {
  field: string;
  label: string;
  value: string;
  matchings: string[];
};

/** Values per field; a mail to thousands is not blocked recipient by recipient. */
const MAX_VALUES = 100;

const hostOf = (url: string): string => {
  try {
    return new URL(url).host;
  } catch {
    return '';
  }
};

function optionsFrom(subject: MatchSubject): ExceptionOption[] {
  const out: ExceptionOption[] = [];
  const add = (id: string, values: readonly (string | null | undefined)[], label?: string) => {
    const field = exceptionField(id);
    const texts = [
      ...new Set(values.filter((value) => value !== null && value !== undefined && value !== '')),
    ];
    for (const value of texts.slice(0, MAX_VALUES))
      out.push({
        field: id,
        label: label ?? field?.label ?? id,
        value: String(value),
        matchings: [...(field?.matchings ?? [])],
      });
  };
  const { fromEmail, hashes = [], urls = [] } = subject;
  add('from_email', [fromEmail]);
  add('from_domain', [fromEmail?.slice(fromEmail.lastIndexOf('@') + 1)]);
  add('nickname', [subject.fromName]);
  add('client_ip', [subject.clientIp]);
  add('subject', [subject.subject]);
  add('recipient', subject.recipients ?? []);
  add('links', urls.map(hostOf));
  add('md5', hashes.filter(isMd5), 'Attachment MD5');
  add(
    'md5',
    hashes.filter((hash) => !isMd5(hash)),
    'Attachment SHA-256',
  );
  return out;
}

/** Null if there is no such entity, or of a type that no list covers. */
export async function exceptionOptions(
  store: Store,
  type: string,
  entityId: string,
): Promise<ExceptionOption[] | null> {
  if (type === 'email') {
    const row = await store.mails.find(entityId);
    return row && optionsFrom(await subjectOfEmail(store, row));
  }
  if (type !== 'file') return null;
  const row = await store.files.find(entityId);
  if (!row) return null;
  const ending = /\.([a-z0-9_+-]{1,16})$/i.exec(row.title)?.[1]?.toLowerCase();
  return [
    ...optionsFrom(subjectOfFile(row)).map((option) => ({
      ...option,
      field: 'hash',
      label: option.label.replace('Attachment', 'File'),
    })),
    ...(ending === undefined
      ? []
      : [{ field: 'file_type', label: 'File type', value: ending, matchings: ['exact'] }]),
  ];
}
