/**
 * How a service writes the parts of a saved query whose form the specification leaves open: one sort or a list of them,
 * and the recipients of a schedule. Learnt from its own answers, so that a query is saved in the form that its service
 * reads: another one would be ignored, and the recipients from before would go on receiving the results.
 */
import type { EndpointName } from '#shared/api/catalogue.ts';
import { type Fields, isFields } from '#shared/api/repair.ts';
import { withoutDisabled } from '#shared/query/switched-off.ts';

const ONE_QUERY: ReadonlySet<EndpointName> = new Set(['query.get', 'query.save', 'query.update']);
const SAVES: ReadonlySet<EndpointName> = new Set(['query.save', 'query.update']);
const RECIPIENTS = /^emails?(_?list)?$/i;

interface Recipients {
  name: string;
  /** In one text, separated by commas. */
  isText: boolean;
}

function queriesIn(endpoint: EndpointName, answer: unknown): Fields[] {
  if (ONE_QUERY.has(endpoint)) return isFields(answer) ? [answer] : [];
  if (endpoint !== 'query.list') return [];
  const list = isFields(answer) ? (answer['queries'] ?? answer['rows']) : answer;
  return Array.isArray(list) ? list.filter(isFields) : [];
}

function recipientsOf(schedule: Fields): Recipients | null {
  const name = Object.keys(schedule).find((key) => RECIPIENTS.test(key));
  return name === undefined ? null : { name, isText: typeof schedule[name] === 'string' };
}

export class QueryDialect {
  #hasOneSort = false;
  #recipients: Recipients | null = null;

  /** From an answer as it came. */
  learn(endpoint: EndpointName, answer: unknown): void {
    for (const { sort, scheduledExport } of queriesIn(endpoint, answer)) {
      if (isFields(sort) && 'dbId' in sort) this.#hasOneSort = true;
      else if (Array.isArray(sort) && sort.length > 0) this.#hasOneSort = false;
      if (isFields(scheduledExport)) this.#recipients = recipientsOf(scheduledExport) ?? this.#recipients;
    }
  }

  /** The body of a call as this service reads it. */
  bodyOf(endpoint: EndpointName, body: unknown): unknown {
    if (!SAVES.has(endpoint) || !isFields(body)) return body;
    const { sort, scheduledExport } = body;
    return {
      ...withoutDisabled(body),
      ...(this.#hasOneSort && Array.isArray(sort) ? { sort: sort[0] ?? null } : {}),
      ...(isFields(scheduledExport) ? { scheduledExport: this.#schedule(scheduledExport) } : {}),
    };
  }

  #schedule(schedule: Fields): Fields {
    const { emails, ...rest } = schedule;
    if (this.#recipients === null || !Array.isArray(emails)) return schedule;
    const { name, isText } = this.#recipients;
    return { ...rest, [name]: isText ? emails.join(', ') : emails };
  }
}
