import { useEffect, useState } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { readOnce, useRead } from '#renderer/bridge/use-read.ts';
import type { Bridge } from '#shared/bridge/bridge.ts';
import type { ListedRule } from '#shared/exceptions/lint.ts';
import { ruleOf } from '#shared/exceptions/rule.ts';
import type { Exception } from '#shared/model/entities.ts';
import { canonicalTool, expandProduct } from '#shared/model/white-label.ts';

/** Page size. The whole list is needed for the comparison, and this call is cheap because it counts no hits. */
const PAGE = 500;
const MOST = 10_000;
const EVER = new Date(0).toISOString();

export interface Known {
  rules: readonly ListedRule[];
  entries: ReadonlyMap<string, Exception>;
  /** null while loading; false: some of the list could not be compared. */
  isWhole: boolean | null;
}
const NOTHING: Known = { rules: [], entries: new Map(), isWhole: null };
const FAILED: Known = { ...NOTHING, isWhole: false };

const request = (product: string, sec_type: string, page: number) => ({
  params: { product },
  body: { sec_type, from: EVER, page, size: PAGE },
});

/** The pages after the first; rejects if one fails. */
async function further(
  bridge: Bridge,
  connectionId: string,
  product: string,
  sec_type: string,
  first: { rows: Exception[]; total_rows?: number | null | undefined },
  signal: AbortSignal,
): Promise<Exception[]> {
  const entries = [...first.rows];
  const total = Math.min(first.total_rows ?? entries.length, MOST);
  for (let page = 1; entries.length < total; page++) {
    const { data } = await readOnce(
      bridge,
      connectionId,
      'exceptions.search',
      request(product, sec_type, page),
      { signal },
    );
    if (data.rows.length === 0) break;
    entries.push(...data.rows);
  }
  return entries;
}

function knownOf(entries: readonly Exception[], total: number, product: string, sec_type: string): Known {
  const byId = new Map(entries.map((entry, index) => [entry.id ?? `place ${index}`, entry]));
  return {
    entries: byId,
    rules: [...byId].flatMap(([id, entry]) => {
      const rule = ruleOf(canonicalTool(entry.sec_type ?? sec_type, product), entry);
      return rule ? [{ id, rule }] : [];
    }),
    isWhole: entries.length >= total,
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
  const [known, setKnown] = useState<{ of: unknown; known: Known }>({ of: null, known: NOTHING });
  const { data } = first;
  useEffect(() => {
    if (data === undefined || connectionId === null || sec_type === null) return undefined;
    const controller = new AbortController();
    const put = (next: Known) => {
      if (!controller.signal.aborted) setKnown({ of: data, known: next });
    };
    further(bridge, connectionId, product, sec_type, data, controller.signal).then(
      (entries) => put(knownOf(entries, data.total_rows ?? entries.length, product, sec_type)),
      () => put({ ...knownOf(data.rows, data.rows.length, product, sec_type), isWhole: false }),
    );
    return () => controller.abort();
  }, [bridge, connectionId, product, sec_type, data]);
  if (data === undefined) return first.error && !first.loading ? FAILED : NOTHING;
  return known.of === data ? known.known : NOTHING;
}
