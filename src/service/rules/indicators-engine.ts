/**
 * Lists of indicators: what a mail contains is looked up among the values of the list, so that its length costs nothing
 * but a deeper index.
 */
import { type FindingPlace, inAttachment, inHeader, inLink } from '#shared/checks/check.ts';
import { isIp } from '#shared/model/ip.ts';
import { hostKeys, type ListedType, urlKey } from '#shared/rules/indicator-list.ts';
import type { ListedValue, Observables } from '../store/rules.ts';
import type { Store } from '../store/store.ts';
import { lower } from '../store/stored-values.ts';
import type { RuleEngine, RuleHit, RuleSource } from './engine.ts';

interface Observed {
  emailId: number;
  type: ListedType;
  value: string;
  place: FindingPlace;
}

/** What was observed in the mails of a chunk, which several lists look at. */
const LAST = new WeakMap<readonly number[], Observed[]>();

function* observe({ attachments, links, headers }: Observables): Generator<Observed> {
  const host = (emailId: number, name: string | null, place: FindingPlace) =>
    name === null
      ? []
      : isIp(name)
        ? [{ emailId, type: 'ip' as const, value: name, place }]
        : hostKeys(name).map((value) => ({ emailId, type: 'domain' as const, value, place }));
  for (const { emailId, name, ...hashes } of attachments)
    for (const type of ['md5', 'sha1', 'sha256'] as const)
      if (hashes[type] !== null) yield { emailId, type, value: hashes[type], place: inAttachment(name) };
  for (const { emailId, url, rewritten, host: name } of links) {
    for (const written of [url, rewritten])
      if (written !== null)
        yield { emailId, type: 'url', value: urlKey(written) ?? written, place: inLink(url) };
    yield* host(emailId, name, inLink(url));
  }
  for (const { emailId, header, value } of headers) {
    const text = lower(value);
    if (text === null || text === '') continue;
    const place = inHeader(header, text);
    if (header === 'Received') yield { emailId, type: 'ip', value: text, place };
    else {
      yield { emailId, type: 'address', value: text, place };
      yield* host(emailId, text.slice(text.lastIndexOf('@') + 1), place);
    }
  }
}

async function observed(store: Store, emailIds: readonly number[]): Promise<Observed[]> {
  const before = LAST.get(emailIds);
  if (before !== undefined) return before;
  const all = [...observe(await store.rules.observables(emailIds))];
  LAST.set(emailIds, all);
  return all;
}

export const indicatorsEngine: RuleEngine = {
  kind: 'indicators',
  prepare(store: Store, { id, text }: RuleSource) {
    // The values of a list that is adopted are in the store, and it has no text.
    const values = text === '' ? null : new Set(text.split('\n'));
    return {
      async hits(emailIds): Promise<RuleHit[]> {
        const all = await observed(store, emailIds);
        const distinct = new Map(all.map(({ type, value }) => [`${type} ${value}`, { type, value }]));
        const listed = values ?? (await store.rules.listed(id, [...distinct.values()]));
        return all
          .filter(({ type, value }) => listed.has(`${type} ${value}`))
          .map(({ emailId, value, place }) => ({ emailId, place, detail: value }));
      },
    };
  },
};

const VALUES_AT_ONCE = 20_000;

/** Stores the values of a list: lines of type and value. Between the steps other work of the thread has its turn. */
export async function* storeValues({ rules }: Store, ruleId: string, text: string): AsyncGenerator<void> {
  while (await rules.dropValues(ruleId)) yield;
  for (let position = 0; position < text.length; ) {
    const values: ListedValue[] = [];
    while (values.length < VALUES_AT_ONCE && position < text.length) {
      const end = text.indexOf('\n', position);
      const line = text.slice(position, end < 0 ? text.length : end);
      const space = line.indexOf(' ');
      if (space > 0) values.push({ type: line.slice(0, space), value: line.slice(space + 1) });
      position = end < 0 ? text.length : end + 1;
    }
    await rules.addValues(ruleId, values);
    yield;
  }
}
