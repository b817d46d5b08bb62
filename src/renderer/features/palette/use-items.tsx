import { Clipboard, Envelope, Search, SearchText } from '@blueprintjs/icons';
import { useEffect, useState } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { useRead } from '#renderer/bridge/use-read.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { copyText, openNewQueryWith } from '#renderer/state/entity-actions.ts';
import { openEmail } from '#renderer/state/navigation.ts';
import { useTabs } from '#renderer/state/tabs.ts';
import { VerdictChip } from '#renderer/ui/verdict-chip.tsx';
import { toBridgeError } from '#shared/bridge/errors.ts';
import { defang } from '#shared/model/defang.ts';
import { classifyIoc, type Ioc } from '#shared/model/ioc.ts';
import { asMessageId, type FoundEmail, findByMessageId } from './find-email.ts';
import { actionItems, matching, type PaletteItem, placeItems } from './items.tsx';

const LOOK_UP_AFTER_MS = 120;

interface Lookup {
  messageId: string | null;
  emails: FoundEmail[];
  /** Outcome of the lookup as text; '' for none. */
  words: string;
}
const NO_LOOKUP: Lookup = { messageId: null, emails: [], words: '' };

function useEmailLookup(messageId: string | null): Lookup {
  const bridge = useBridge();
  const [lookup, setLookup] = useState<Lookup>(NO_LOOKUP);
  useEffect(() => {
    if (messageId === null) return setLookup(NO_LOOKUP);
    const controller = new AbortController();
    setLookup({ messageId, emails: [], words: 'Searching for this email' });
    const timer = setTimeout(() => {
      findByMessageId(bridge, messageId, controller.signal).then(
        (emails) =>
          setLookup({
            messageId,
            emails,
            words: emails.length === 0 ? 'No email with this Message-ID' : '',
          }),
        (reason: unknown) => {
          const error = toBridgeError(reason);
          if (error.code !== 'cancelled') setLookup({ messageId, emails: [], words: error.message });
        },
      );
    }, LOOK_UP_AFTER_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [bridge, messageId]);
  return lookup;
}

const KIND_LABELS: Readonly<Record<Ioc['type'] | 'message-id', string>> = {
  'message-id': 'Message-ID',
  address: 'email address',
  domain: 'domain',
  ip: 'IP address',
  url: 'URL',
  md5: 'MD5',
  sha1: 'SHA-1',
  sha256: 'SHA-256',
};

function valueItems(kind: keyof typeof KIND_LABELS, value: string): PaletteItem[] {
  const entity = { kind: kind === 'address' ? 'email' : kind, value };
  return [
    {
      id: 'query-value',
      group: 'Actions',
      icon: <SearchText size={14} />,
      text: `New query with this ${KIND_LABELS[kind]}`,
      run: () => void openNewQueryWith(entity),
    },
    {
      id: 'copy-value',
      group: 'Actions',
      icon: <Clipboard size={14} />,
      text: 'Copy defanged',
      detail: defang(value),
      run: () => void copyText(defang(value), 'Copied, defanged'),
    },
  ];
}

const subjectItem = (text: string): PaletteItem => ({
  id: 'query-subject',
  group: 'Search',
  icon: <Search size={14} />,
  text: `Emails whose subject contains “${text}”`,
  run: () => void openNewQueryWith({ kind: 'text', value: text }),
});

const emailItem = (email: FoundEmail): PaletteItem => ({
  id: `email-${email.entityId}`,
  group: 'Email',
  icon: <Envelope size={14} />,
  text: email.subject,
  ...(email.from ? { detail: email.from } : {}),
  ...(email.verdict ? { extra: <VerdictChip verdict={email.verdict} code={email.code} compact /> } : {}),
  run: () => void openEmail(email.saas, email.entityId, email.subject),
});

/** A pasted value is acted on; words are a way to somewhere, and the first match is what Enter takes. */
const FOR_VALUES: readonly PaletteItem['group'][] = ['Email', 'Actions', 'Go to', 'Search'];
const FOR_WORDS: readonly PaletteItem['group'][] = ['Go to', 'Actions', 'Search'];

interface PaletteContent {
  /** In the order of their groups. */
  items: PaletteItem[];
  /** What the text was recognised as. */
  recognised: string | null;
  note: string;
}

/** What the palette offers for a text: a pasted value first, then what it finds by words. */
export function usePaletteItems(text: string): PaletteContent {
  const bridge = useBridge();
  const { connections, state } = useConnection();
  const tabs = useTabs((store) => store.tabs);
  const queries = useRead('query.list', { query: {} });
  const typed = text.trim();
  const messageId = asMessageId(typed);
  const lookup = useEmailLookup(messageId);
  const ioc = messageId === null && typed !== '' ? classifyIoc(typed) : null;
  const recognised = messageId !== null ? 'message-id' : (ioc?.type ?? null);
  const value = messageId ?? ioc?.value ?? '';
  const places = placeItems({
    tabs,
    queries: queries.data?.queries ?? [],
    connections,
    activeConnection: state.connectionId,
  });
  const found: PaletteItem[] = [
    ...lookup.emails.map(emailItem),
    ...(recognised === null ? [] : valueItems(recognised, value)),
    ...matching(places, typed, typed === '' ? 8 : 12),
    ...matching(actionItems(bridge, state), typed, typed === '' ? 12 : 6),
    ...(recognised === null && typed.length > 2 && state.connectionId !== null ? [subjectItem(typed)] : []),
  ];
  const order = recognised === null ? FOR_WORDS : FOR_VALUES;
  const items = order.flatMap((group) => found.filter((item) => item.group === group));
  return { items, recognised: recognised === null ? null : KIND_LABELS[recognised], note: lookup.words };
}
