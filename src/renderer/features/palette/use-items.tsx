import { BlockedPerson, Clipboard, Document, Envelope, Globe, People, Person } from '@blueprintjs/icons';
import { type JSX, useMemo } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { useRead } from '#renderer/bridge/use-read.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { copyText } from '#renderer/state/entity-actions.ts';
import { useEvidenceState } from '#renderer/state/evidence-state.ts';
import { openPivot, openProfile } from '#renderer/state/navigation.ts';
import { openWith } from '#renderer/state/tab-payload.ts';
import { useTabs } from '#renderer/state/tabs.ts';
import { DomainIcon } from '#renderer/ui/domain-icon.tsx';
import { useAnswer } from '#renderer/ui/use-answer.ts';
import { VerdictChip } from '#renderer/ui/verdict-chip.tsx';
import type { Bridge } from '#shared/bridge/bridge.ts';
import { SEARCH_MOST } from '#shared/bridge/operations.ts';
import { dictionary } from '#shared/dictionary.ts';
import { exceptionFieldOf } from '#shared/exceptions/from-query.ts';
import { defang, refang } from '#shared/model/defang.ts';
import type { Row } from '#shared/model/entities.ts';
import { whyIncomplete } from '#shared/model/evidence.ts';
import { exact } from '#shared/model/format.ts';
import { webHost } from '#shared/model/hosts.ts';
import { classifyIoc, extractIocs, type Ioc, iocList } from '#shared/model/ioc.ts';
import { foldText } from '#shared/query/text.ts';
import {
  asHeaderLine,
  asMessageId,
  bareValue,
  type Found,
  findByEntityId,
  findByMessageId,
  foundOf,
  mayBeEntityId,
  mayBeMessageId,
} from './find-email.ts';
import { actionItems, commandItems, itemOf, matching, type PaletteItem, placeItems } from './items.tsx';
import {
  cut,
  ENTITY_ID,
  HEADER_LINE,
  indicators,
  KIND_LABELS,
  MD5_OR_ENTITY_ID,
  noEmail,
  noResults,
  notSearched,
  SEARCHING,
  type ValueKind,
} from './labels.ts';
import {
  type Ask,
  askOfHeader,
  askOfMany,
  asksOfValue,
  asksOfWords,
  LOCAL_PART,
  mayBeLocalPart,
} from './questions.ts';
import { type Answers, useAnswers } from './use-answers.ts';
import { useCampaignItems } from './use-campaign-items.tsx';
import { useKeptItems } from './use-kept-items.tsx';

const LOOK_UP_AFTER_MS = 120;
/** Maximum number of characters read from a paste. */
const PASTE_MOST = 20_000;

interface Lookup {
  found: Found[];
  pending: boolean;
  /** Outcome as text; '' for none. */
  words: string;
  /** A Message-ID that leads to no email, or could not be looked up. */
  isMissing: boolean;
}
const NO_LOOKUP: Lookup = { found: [], pending: false, words: '', isMissing: false };

/** The entity that a text identifies: an email by Message-ID, or an email or file by entity id. */
async function lookUp(bridge: Bridge, text: string, signal: AbortSignal): Promise<Found[]> {
  const messageId = asMessageId(text) ?? mayBeMessageId(text);
  if (messageId !== null) return findByMessageId(bridge, messageId, signal);
  const id = mayBeEntityId(text);
  return id === null ? [] : findByEntityId(bridge, id, signal);
}

const namesOne = (text: string): boolean =>
  asMessageId(text) !== null || mayBeMessageId(text) !== null || mayBeEntityId(text) !== null;

function useLookup(text: string): Lookup {
  const bridge = useBridge();
  const { state } = useEvidenceState();
  const phase = state?.phase ?? null;
  const isCertain = asMessageId(text) !== null;
  const { last, error, isAsking } = useAnswer(
    namesOne(text) ? [text, phase] : null,
    async (signal) => ({ text, items: await lookUp(bridge, text, signal) }),
    LOOK_UP_AFTER_MS,
  );
  if (!namesOne(text)) return NO_LOOKUP;
  const found = last?.text === text && error === null ? last.items : [];
  // Once evidence has been read further, what was not found before may be there.
  const pending = isAsking && found.length === 0;
  if (pending) return { ...NO_LOOKUP, pending, words: isCertain ? SEARCHING : '' };
  // If a text only might be an id, neither a failed lookup nor one without a result is reported.
  const isMissing = isCertain && found.length === 0;
  return {
    found,
    pending,
    words: isMissing ? (error?.message ?? noEmail(state === null ? null : whyIncomplete(state))) : '',
    isMissing,
  };
}

const action = itemOf.bind(null, 'Actions');

const copyItems = (defanged: string, raw: string, what: string): PaletteItem[] => [
  action('copy-value', Clipboard, `Copy ${what}defanged`, () => void copyText(defanged, 'Copied, defanged'), {
    detail: defanged.slice(0, 200),
  }),
  action('copy-raw', Clipboard, `Copy ${what}raw`, () => void copyText(raw, 'Copied, raw')),
];

/** Actions for a value: block it, show its logins, copy it. */
function valueActions(kind: ValueKind, value: string, isEvidence: boolean): PaletteItem[] {
  const entity = { kind: kind === 'address' ? 'email' : kind, value };
  const items: PaletteItem[] = [];
  if (!isEvidence && kind !== 'message-id' && exceptionFieldOf(undefined, kind) !== null)
    items.push(
      action(
        'block',
        BlockedPerson,
        `Block this ${KIND_LABELS[kind]}`,
        () => openWith('exceptions', { prefill: { value: entity, from: null } }),
        { also: 'exception deny blacklist' },
      ),
    );
  if (kind === 'ip' || kind === 'address')
    items.push(
      action('map', Globe, `Show logins of this ${kind === 'ip' ? 'IP address' : 'user'} on the map`, () =>
        openWith('login-map', { part: kind === 'ip' ? 'ips' : 'users', value }),
      ),
    );
  return [...items, ...copyItems(defang(value), value, '')];
}

const foundItem = (item: Found): PaletteItem => ({
  id: `${item.kind}-${item.entityId}`,
  group: 'Found',
  icon: item.kind === 'email' ? <Envelope size={14} /> : <Document size={14} />,
  text: item.title,
  ...(item.from ? { detail: item.from } : {}),
  ...(item.verdict ? { extra: <VerdictChip verdict={item.verdict} code={item.code} compact /> } : {}),
  run: () => void openProfile(item),
});

const PERSON_ICONS: Readonly<Record<string, JSX.Element>> = dictionary({
  user: <Person size={14} />,
  group: <People size={14} />,
});

function rowItem(ask: Ask, row: Row): PaletteItem | null {
  if (ask.domain === 'file') {
    const file = foundOf('file', row);
    return file && { ...foundItem(file), group: 'People and files' };
  }
  const { name, email, saas, entity_id: entityId } = row;
  if (typeof email !== 'string' || typeof entityId !== 'string') return null;
  const title = typeof name === 'string' && name !== '' ? name : email;
  return {
    id: `${ask.domain}-${email}`,
    group: 'People and files',
    icon: PERSON_ICONS[ask.domain] ?? <Person size={14} />,
    text: title,
    detail: email,
    run: () =>
      void openProfile({
        kind: ask.domain === 'group' ? 'group' : 'user',
        saas: typeof saas === 'string' ? saas : 'all',
        entityId,
        title,
      }),
  };
}

/** A lookup with its count and rows. `always`: also shown before it is answered, and at zero. */
function askItems(ask: Ask, answers: Answers, always: boolean): PaletteItem[] {
  const answer = answers.get(ask.id);
  if (!answer || (!always && !answer.total)) return [];
  const { query, rows, total, error } = answer;
  const listed = rows.flatMap((row) => rowItem(ask, row) ?? []);
  if (ask.id === LOCAL_PART) {
    const local = ask.any[0]?.values[0] ?? '';
    // A service that only knows "contains" also finds longer names.
    return listed
      .filter(({ detail = '' }) => foldText(detail).startsWith(foldText(local)))
      .map((item) => (mayBeLocalPart(local.slice(0, -1)) ? { ...item, group: 'Found' } : item));
  }
  return [
    ...listed,
    // If all matches are listed, the query needs no item of its own.
    ...(total !== null && total > 0 && listed.length === total
      ? []
      : [
          itemOf(
            'Search',
            ask.id,
            <DomainIcon domain={ask.domain} />,
            ask.text,
            () => void openPivot(query),
            {
              count: total === null ? (error === null ? 'counting…' : 'not counted') : exact(total),
            },
          ),
        ]),
  ];
}

/** What was entered: nothing, words, one value or several values. */
interface Reading {
  kind: ValueKind | null;
  value: string;
  /** Two or more. */
  many: readonly Ioc[];
  words: string;
  /** `X-Mailer: Foxmail`, or null if it is no header line. */
  header: string | null;
}

const NOTHING = { kind: null, value: '', many: [], words: '', header: null } satisfies Reading;

function readingOf(typed: string): Reading {
  const messageId = asMessageId(typed);
  if (messageId !== null) return { ...NOTHING, kind: 'message-id', value: messageId };
  const ioc = typed === '' ? null : (classifyIoc(typed) ?? classifyIoc(bareValue(typed)));
  if (ioc) return { ...NOTHING, kind: ioc.type, value: ioc.value };
  const line = asHeaderLine(typed);
  const header = line && `${line.name}: ${line.value}`.slice(0, SEARCH_MOST);
  const many = /[\s,;]/.test(typed) ? extractIocs(typed, { hosts: false }) : [];
  if (many.length > 1) return { ...NOTHING, many, header };
  const [only] = many;
  if (only) return { ...NOTHING, kind: only.type, value: only.value, header };
  // Of a pasted subject line, the subject is looked for.
  const text = line?.name.toLowerCase() === 'subject' ? line.value : typed;
  return { ...NOTHING, words: refang(text).slice(0, SEARCH_MOST), header };
}

function asksOf({ kind, value, many, words, header }: Reading): Ask[] {
  const ofHeader = header === null ? [] : [askOfHeader(header)];
  if (many.length > 1) return [askOfMany(many), ...ofHeader];
  if (kind !== null)
    return [...asksOfValue(kind, value, kind === 'url' ? webHost(value) : null), ...ofHeader];
  return words.length > 2 ? [...ofHeader, ...asksOfWords(words)] : [];
}

/** For a pasted value, its actions come first; for words, navigation comes first. Enter takes the first item. */
const FOR_VALUES: readonly PaletteItem['group'][] = [
  'Found',
  'Search',
  'People and files',
  'Actions',
  'Go to',
];
const FOR_WORDS: readonly PaletteItem['group'][] = [
  'Found',
  'Go to',
  'Actions',
  'People and files',
  'Search',
];

/** Lookups of words that are shown even if they find nothing. */
const SHOWN_AT_ZERO: ReadonlySet<string> = new Set(['subject', 'header']);

interface PaletteContent {
  /** Ordered by group. */
  items: PaletteItem[];
  recognised: string | null;
  note: string;
  /** What comes first may still change: Enter waits for the answers. */
  pending: boolean;
  /** The lookup found no email: Enter must not run the item that is now first. */
  isMissing: boolean;
}

function recognisedAs(
  { kind, many }: Reading,
  lookup: Lookup,
  byId: boolean,
  answers: Answers,
): string | null {
  if (many.length > 1) return indicators(many.length);
  if (byId) return ENTITY_ID;
  if (kind === 'md5' && lookup.pending) return MD5_OR_ENTITY_ID;
  if (kind !== null) return KIND_LABELS[kind];
  // Not where the service cannot search headers.
  return answers.has('header') ? HEADER_LINE : null;
}

/** The palette's items for a text: a recognised value first, then word matches. */
export function usePaletteItems(text: string): PaletteContent {
  const bridge = useBridge();
  const { connection, connections, state } = useConnection();
  const tabs = useTabs((store) => store.tabs);
  const queries = useRead('query.list', { query: {} });
  const typed = text.slice(0, PASTE_MOST).trim();
  const lookup = useLookup(typed);
  const isFound = lookup.found.length > 0;
  const byId = isFound && mayBeEntityId(typed) !== null;
  const reading = useMemo((): Reading => {
    // What looks like an address is a Message-ID once it has led to an email.
    const messageId = isFound ? mayBeMessageId(typed) : null;
    return messageId === null ? readingOf(typed) : { ...NOTHING, kind: 'message-id', value: messageId };
  }, [typed, isFound]);
  const isConnected = state.connectionId !== null;
  const asks = useMemo(() => (isConnected && !byId ? asksOf(reading) : []), [isConnected, byId, reading]);
  const { answers, failure, isAsking } = useAnswers(asks);
  const kept = useKeptItems(typed);
  const campaigns = useCampaignItems();
  const { kind, value, many, words } = reading;
  const isValue = kind !== null || many.length > 1;
  const places = placeItems({
    tabs,
    queries: queries.data?.queries ?? [],
    connections,
    activeConnection: state.connectionId,
  });
  const most = typed === '' ? { places: 8, actions: 12 } : { places: 12, actions: 6 };
  const items: PaletteItem[] = [
    ...lookup.found.map(foundItem),
    ...asks.flatMap((ask) => askItems(ask, answers, isValue || SHOWN_AT_ZERO.has(ask.id))),
    ...kept,
    ...(kind !== null && !byId ? valueActions(kind, value, connection?.kind === 'evidence') : []),
    ...(many.length > 1
      ? copyItems(iocList(many, true), iocList(many, false), `${indicators(many.length)} `)
      : []),
    ...(many.length > 1
      ? []
      : [
          ...matching([...places, ...(typed === '' ? [] : campaigns)], typed, most.places),
          ...matching(
            [...(typed === '' ? [] : commandItems()), ...actionItems(bridge, state)],
            typed,
            most.actions,
          ),
        ]),
  ];
  const note =
    text.length > PASTE_MOST
      ? cut(exact(PASTE_MOST))
      : words !== '' && typed.length > SEARCH_MOST
        ? cut(exact(SEARCH_MOST))
        : lookup.words ||
          (failure !== null
            ? notSearched(failure)
            : items.length === 0 && !lookup.pending && !isAsking
              ? noResults(typed)
              : '');
  // Several lookups find the same person: the most exact one comes first.
  const once = items.filter(({ id }, index) => items.findIndex((item) => item.id === id) === index);
  const ordered = (isValue || byId ? FOR_VALUES : FOR_WORDS).flatMap((group) =>
    once.filter((item) => item.group === group),
  );
  // For words, what is on this machine comes before all answers, unless they can name a person exactly.
  const isSettled = !isValue && ordered[0]?.group !== 'People and files' && ordered[0]?.group !== 'Search';
  return {
    items: ordered,
    recognised: recognisedAs(reading, lookup, byId, answers),
    note,
    pending: lookup.pending || (isAsking && !(ordered.length > 0 && isSettled && !mayBeLocalPart(words))),
    isMissing: lookup.isMissing,
  };
}
