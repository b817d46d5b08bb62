/** The events of an entity as lines of a timeline: consecutive scans are merged into one line. */
import { toInstant } from '#shared/model/clock.ts';
import type { EntityEvent } from '#shared/model/entities.ts';
import { exact, plural } from '#shared/model/format.ts';
import type { Branding } from '#shared/model/white-label.ts';
import { actorWords, detailWords, type EventKind, kindOf } from './events.ts';
import { defangedText } from './labels.ts';

export interface TimelineEvent {
  kind: EventKind;
  /** Epoch ms, or null if the time was not recorded. */
  at: number | null;
  title: string;
  detail: string | null;
  danger: boolean;
}

const DANGER = /\b(found|suspicious|phishing|malware)\b/i;

function single(event: EntityEvent, branding: Branding): TimelineEvent {
  const kind = kindOf(event);
  const actor = actorWords(event, branding);
  // The summary may already name the tool.
  const who = actor !== null && event.summary.startsWith(actor) ? null : actor;
  const instant = toInstant(event.time);
  if (kind === 're-evaluated')
    return {
      kind,
      at: instant,
      title: 'Re-evaluated',
      detail: who === null ? event.summary : `${who}: ${event.summary}`,
      danger: DANGER.test(event.summary) && !/to clean$/i.test(event.summary),
    };
  // Defanged by itself: a link in it is no reason to defang the address of who did it.
  const words = detailWords(event, branding);
  const detail = [who === null ? null : `by ${who}`, words && defangedText(words)].filter(Boolean);
  return {
    kind,
    at: instant,
    title: event.summary,
    detail: detail.length > 0 ? detail.join(', ') : null,
    danger: false,
  };
}

/** Consecutive scans as one line. */
function scansTogether(events: readonly EntityEvent[]): TimelineEvent {
  const notable = events.map(({ summary }) => summary).filter((summary) => !/:\s*clean$/i.test(summary));
  const rest = notable.length > 2 ? ` and ${exact(notable.length - 2)} more` : '';
  const tools = new Set(events.map(({ actor }) => actor)).size;
  return {
    kind: 'scan',
    at: toInstant(events.at(-1)?.time),
    title: `Scanned by ${plural(tools, 'tool')}`,
    detail: notable.length === 0 ? 'all clean' : notable.slice(0, 2).join(', ') + rest,
    danger: false,
  };
}

/** Oldest first, whatever order the service returns. */
export function timelineOfEvents(events: readonly EntityEvent[], branding: Branding): TimelineEvent[] {
  const last = Number.POSITIVE_INFINITY;
  const ordered = [...events]
    .reverse()
    .sort((a, b) => (toInstant(a.time) ?? last) - (toInstant(b.time) ?? last));
  const out: TimelineEvent[] = [];
  let scans: EntityEvent[] = [];
  const flush = () => {
    const [first] = scans;
    if (first) out.push(scans.length === 1 ? single(first, branding) : scansTogether(scans));
    scans = [];
  };
  for (const event of ordered) {
    if (kindOf(event) === 'scan') scans.push(event);
    else {
      flush();
      out.push(single(event, branding));
    }
  }
  flush();
  return out;
}
