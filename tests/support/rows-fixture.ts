/** The fixture of tests of fetching, browsing and cancelling: result sets over the rows of a service in memory. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reasonOf } from '#main/results/reason.ts';
import type { SetRecord } from '#main/results/record.ts';
import type { ParsedInputOf, ResultSet } from '#shared/bridge/operations.ts';
import { CONNECTION, type DataHarness, openData } from './data-services.ts';
import { makeRows, ROWS_PAYLOAD, type RowsService, rowColumns, startRowsService } from './rows-service.ts';

type Payload = ParsedInputOf<'results.open'>['payload'];

/** A caller that never cancels, by default. */
export const asking = (signal = new AbortController().signal) => ({ signal });

export interface RowsFixture {
  profile: string;
  service: RowsService;
  /** The test may close and reopen it. */
  data: DataHarness;
  open(change?: Partial<Payload>, refresh?: boolean): Promise<ResultSet>;
  /** Requests every row, as an export does; returns the set's state when the fetch has ended. */
  fetchAll(id: string): Promise<SetRecord & { reason: string | null }>;
  /** Entity ids of all loaded rows, in the order of the set. */
  idsOf(id: string): Promise<unknown[]>;
  close(): Promise<void>;
}

export async function startRowsFixture(count = 2_500): Promise<RowsFixture> {
  const profile = mkdtempSync(join(tmpdir(), 'parapet-rows-'));
  const service = await startRowsService(makeRows(count));
  const fixture: RowsFixture = {
    profile,
    service,
    data: await openData(profile, service.url),
    open: (change = {}, refresh = true) =>
      fixture.data.handlers['results.open'](
        {
          connectionId: CONNECTION,
          payload: { ...ROWS_PAYLOAD, ...change },
          columns: rowColumns,
          refresh,
        },
        asking(),
      ),
    async fetchAll(id) {
      const record = await fixture.data.sets.fetchAll(id, asking().signal, () => undefined);
      return { ...record, reason: reasonOf(record) };
    },
    async idsOf(id) {
      const { loaded } = (await fixture.data.sets.get(id))!;
      const page = await fixture.data.handlers['results.page'](
        { resultId: id, start: 0, end: loaded },
        asking(),
      );
      return page.rows.map((row) => row[0]);
    },
    async close() {
      await fixture.data.close();
      await service.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
  return fixture;
}
