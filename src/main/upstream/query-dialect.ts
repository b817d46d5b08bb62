/**
 * The form in which a service expects parts of a saved query that the specification leaves open: one sort or a list, and
 * the field for the recipients of a schedule. It is learnt from the service's responses. In another form the service
 * would ignore the value, and the previous recipients would keep receiving the results.
 */
import type { EndpointName } from '#shared/api/catalogue.ts';
import type { Fields } from '#shared/api/repair.ts';
import { isRecord } from '#shared/model/narrow.ts';
import { withoutDisabled } from '#shared/query/switched-off.ts';

const ONE_QUERY: ReadonlySet<EndpointName> = new Set(['query.get', 'query.save', 'query.update']);
const SAVES: ReadonlySet<EndpointName> = new Set(['query.save', 'query.update']);
const RECIPIENTS = /^emails?(_?list)?$/i;

interface Recipients {
  name: string;
  /** A single comma-separated string instead of a list. */
  isText: boolean;
}

function queriesIn(endpoint: EndpointName, answer: unknown): Fields[] {
  if (ONE_QUERY.has(endpoint)) return isRecord(answer) ? [answer] : [];
  if (endpoint !== 'query.list') return [];
  const list = isRecord(answer) ? (answer['queries'] ?? answer['rows']) : answer;
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

function recipientsOf(schedule: Fields): Recipients | null {
  const name = Object.keys(schedule).find((key) => RECIPIENTS.test(key));
  return name === undefined ? null : { name, isText: typeof schedule[name] === 'string' };
}

export class QueryDialect {
  #hasOneSort = false;
  #recipients: Recipients | null = null;

  /** `answer`: the response before it is converted. */
  learn(endpoint: EndpointName, answer: unknown): void {
    for (const { sort, scheduledExport } of queriesIn(endpoint, answer)) {
      if (isRecord(sort) && 'dbId' in sort) this.#hasOneSort = true;
      else if (Array.isArray(sort) && sort.length > 0) this.#hasOneSort = false;
      if (isRecord(scheduledExport)) this.#recipients = recipientsOf(scheduledExport) ?? this.#recipients;
    }
  }

  /** The body of a call in the form that this service expects. */
  bodyOf(endpoint: EndpointName, body: unknown): unknown {
    if (!SAVES.has(endpoint) || !isRecord(body)) return body;
    const { sort, scheduledExport } = body;
    return {
      ...withoutDisabled(body),
      ...(this.#hasOneSort && Array.isArray(sort) ? { sort: sort[0] ?? null } : {}),
      ...(isRecord(scheduledExport) ? { scheduledExport: this.#schedule(scheduledExport) } : {}),
    };
  }

  #schedule(schedule: Fields): Fields {
    const { emails, ...rest } = schedule;
    if (this.#recipients === null || !Array.isArray(emails)) return schedule;
    const { name, isText } = this.#recipients;
    return { ...rest, [name]: isText ? emails.join(', ') : emails };
  }
}
