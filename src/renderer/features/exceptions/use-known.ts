import { useEffect, useState } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { readOnce, useRead } from '#renderer/bridge/use-read.ts';
import type { AnswerOf } from '#shared/api/catalogue.ts';
import { type NumberedList, readNumberedPages } from '#shared/api/numbered-pages.ts';
import type { Bridge } from '#shared/bridge/bridge.ts';
import type { ListedRule } from '#shared/exceptions/lint.ts';
import { ruleOf } from '#shared/exceptions/rule.ts';
import { EXCEPTION_SEARCH_PAGE } from '#shared/model/constants.ts';
import type { Exception } from '#shared/model/entities.ts';
import { canonicalTool, expandProduct } from '#shared/model/white-label.ts';

const MOST = 10_000;
const EVER = new Date(0).toISOString();

export interface Known {
  rules: readonly ListedRule[];
  entries: ReadonlyMap<string, Exception>;
  /** Null while loading, false if some of the list could not be compared. */
  isWhole: boolean | null;
}
const NOTHING: Known = { rules: [], entries: new Map(), isWhole: null };
const FAILED: Known = { ...NOTHING, isWhole: false };

const request = (product: string, sec_type: string, page: number) => ({
  params: { product },
  body: { sec_type, from: EVER, page, size: EXCEPTION_SEARCH_PAGE },
});

/** All pages of the list; rejects if one fails. */
const wholeList = (
  bridge: Bridge,
  connectionId: string,
  product: string,
  sec_type: string,
  first: AnswerOf<'exceptions.search'>,
  signal: AbortSignal,
): Promise<NumberedList<Exception>> =>
  readNumberedPages({
    first,
    ask: async (page) =>
      (
        await readOnce(bridge, connectionId, 'exceptions.search', request(product, sec_type, page), {
          signal,
        })
      ).data,
    idOf: ({ id }) => id,
    most: MOST,
  });

function knownOf(
  { rows, isWhole }: Pick<NumberedList<Exception>, 'rows' | 'isWhole'>,
  product: string,
  sec_type: string,
): Known {
  const byId = new Map(rows.map((entry, index) => [entry.id ?? `place ${index}`, entry]));
  return {
    entries: byId,
    rules: [...byId].flatMap(([id, entry]) => {
      const rule = ruleOf(canonicalTool(entry.sec_type ?? sec_type, product), entry);
      return rule ? [{ id, rule }] : [];
    }),
    isWhole,
  };
}

/** Every entry of a tool, whatever its age, to compare a new one with. `tool` null asks nothing. */
export function useKnown(connectionId: string | null, product: string, tool: string | null): Known {
  const bridge = useBridge();
  const sec_type = tool === null ? null : expandProduct(tool, product);
  const first = useRead(
    'exceptions.search',
    sec_type === null || product === '' ? null : request(product, sec_type, 0),
  );
  const [lists, setLists] = useState<{ of: unknown; known: Known }>({ of: null, known: NOTHING });
  const { data } = first;
  useEffect(() => {
    if (data === undefined || connectionId === null || sec_type === null) return undefined;
    const controller = new AbortController();
    const put = (next: Known) => {
      if (!controller.signal.aborted) setLists({ of: data, known: next });
    };
    wholeList(bridge, connectionId, product, sec_type, data, controller.signal).then(
      (list) => put(knownOf(list, product, sec_type)),
      () => put(knownOf({ rows: data.rows, isWhole: false }, product, sec_type)),
    );
    return () => controller.abort();
  }, [bridge, connectionId, product, sec_type, data]);
  if (data === undefined) return first.error && !first.loading ? FAILED : NOTHING;
  if (lists.of !== data) return NOTHING;
  // With an error this is an older list, which may lack what was added since.
  return first.error ? { ...lists.known, isWhole: false } : lists.known;
}
