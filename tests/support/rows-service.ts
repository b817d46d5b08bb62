/** A tiny service that answers query/execute over rows in memory, with faults on demand. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Row } from '#shared/model/entities.ts';
import { digitsOf, parseExact } from '#shared/model/exact-numbers.ts';

export interface PageAsk {
  /** The row index of the cursor; 0 for the first page. */
  at: number;
  size: number;
  /** Requests so far, this one included. */
  turn: number;
  /** The page may come before the rows are counted. */
  countLater: boolean;
}
type Answer = { status: number; body: unknown };

export interface RowsService {
  url: string;
  server: Server;
  rows: Row[];
  /** Every requested page, in order. */
  asks: PageAsk[];
  /** If set, cursors are numbers counting from this one; null: texts. */
  cursorBase: bigint | null;
  /** May answer instead of the service, or delay it. */
  fault: (
    ask: PageAsk,
    page: { rows: Row[]; search_after: string[] | null; total_rows: number },
  ) => Answer | undefined | Promise<Answer | undefined>;
  close(): Promise<void>;
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
};

export const lapsed = { status: 410, body: { error: 'cursor expired' } } as const;

export async function startRowsService(rows: Row[]): Promise<RowsService> {
  const server = createServer((request, response) => {
    const handle = async () => {
      const body = parseExact(await bodyOf(request)) as {
        search_after: unknown[] | null;
        size: number;
        count_later?: boolean;
      };
      const { cursorBase } = service;
      const placeOf = ([cursor]: unknown[]) =>
        cursorBase === null
          ? Number(cursor)
          : Number(BigInt(digitsOf(cursor) ?? String(cursor)) - cursorBase);
      const start = body.search_after === null ? 0 : placeOf(body.search_after);
      const ask = {
        at: start,
        size: body.size,
        turn: service.asks.length + 1,
        countLater: body.count_later === true,
      };
      service.asks.push(ask);
      const slice = service.rows.slice(start, start + body.size);
      const end = start + slice.length;
      const page = {
        rows: slice,
        search_after:
          end >= service.rows.length
            ? null
            : cursorBase === null
              ? [String(end)]
              : [parseExact(String(cursorBase + BigInt(end))) as string],
        total_rows: service.rows.length,
      };
      const answer = (await service.fault(ask, page)) ?? { status: 200, body: page };
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer.body));
    };
    handle().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const service: RowsService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    rows,
    asks: [],
    cursorBase: null,
    fault: () => undefined,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return service;
}

const WORDS = [
  'invoice',
  'overdue',
  'minutes',
  'Ürün',
  '請求書',
  'счёт',
  'plan',
  'review',
  'travel',
  'payroll',
];

/** Realistic rows, deterministic per number. */
export const makeRow = (index: number): Row => ({
  entity_id: `e-${index}`,
  received: new Date(Date.UTC(2026, 0, 1) + ((index * 7919) % 1_000_000) * 1000).toISOString(),
  subject: `${WORDS[index % 10]} ${WORDS[(index * 7) % 10]} ${index}`,
  from_email: `sender${(index * 31) % 97}@partner${index % 13}.example`,
  size: (index * 7919) % 100_000,
  is_read: index % 3 === 0,
  to: index % 5 === 0 ? [] : [`a${index % 50}@aldermoor.example`, `b${index % 20}@aldermoor.example`],
  verdict: ['clean', 'spam', 'found', 'suspicious'][index % 4]!,
});
export const makeRows = (count: number): Row[] => Array.from({ length: count }, (_, index) => makeRow(index));

export const rowColumns = [
  { id: 'received', label: 'Received', type: 'date', multiValues: false },
  { id: 'subject', label: 'Subject', type: 'text', multiValues: false },
  { id: 'from_email', label: 'From', type: 'text', multiValues: false },
  { id: 'size', label: 'Size', type: 'bytes', multiValues: false },
  { id: 'is_read', label: 'Read', type: 'boolean', multiValues: false },
  { id: 'to', label: 'To', type: 'text', multiValues: true },
  { id: 'verdict', label: 'Verdict', type: 'text', multiValues: false },
];

/** The query that the columns belong to. */
export const ROWS_PAYLOAD = {
  query_domain: 'email',
  saas_id: 'mail',
  query_entity_type: 'email',
  condition: { operator: 'and' as const, conditions: [] },
  columns: rowColumns.map((column) => column.id),
  sort_by: [],
  include_copies: false,
};
