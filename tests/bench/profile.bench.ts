/** An email's profile from the cache, all its panels at once, against the same calls made raw. */
import { allMail, startProduct } from './product.ts';
import type { BenchSuite } from './support.ts';

const EMAILS = 20_000;
const PANELS = [
  ['email.profile', '/sql_queries/{saas}/entity/email'],
  ['email.recipients', '/sql_queries/{saas}/email_recipients'],
  ['email.attachments', '/sql_queries/{saas}/email_attachments'],
  ['email.conversation', '/sql_queries/{saas}/email_conversation'],
  ['scan.details', '/sql_queries/common/scan_details'],
  ['entity.props', '/entity/props'],
  ['email.headers', '/mta/email_headers'],
  ['email.body', '/mta/email_body'],
  ['file.events', '/sql_queries/{saas}/file_events'],
  ['scan.clicks', '/sql_queries/common/clicktime_protection_scan_clicks'],
] as const;

export const suite: BenchSuite = {
  names: ['profile'],
  async run(bench) {
    const product = await startProduct(EMAILS);
    try {
      const { bridge, connection, raw } = product;
      const { rows } = (await raw('/query/execute', {
        ...allMail,
        search_after: null,
        size: 1,
        count_only: false,
      })) as { rows: { entity_id: string; saas?: string }[] };
      const row = rows[0];
      if (row === undefined) throw new Error('The service has no mail');
      const saas = row.saas ?? 'all';
      const panels = () =>
        Promise.all(
          PANELS.map(([endpoint, path]) =>
            bridge.stream(
              'service.read',
              {
                connectionId: connection.id,
                endpoint,
                query: { entity_id: row.entity_id },
                ...(path.includes('{saas}') ? { params: { saas } } : {}),
              },
              () => {},
            ),
          ),
        );
      await panels();
      await bench.compare({
        name: 'profile',
        variant: 'ten panels from the cache',
        rows: EMAILS,
        pid: product.host.process.pid ?? process.pid,
        own: panels,
        peers: [
          {
            name: 'raw calls',
            run: () =>
              Promise.all(
                PANELS.map(([, path]) =>
                  raw(`${path.replace('{saas}', saas)}?entity_id=${encodeURIComponent(row.entity_id)}`),
                ),
              ),
          },
        ],
      });
    } finally {
      await product.stop();
    }
  },
};
