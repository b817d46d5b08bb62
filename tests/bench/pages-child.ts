/** A service with almost no cost, in a separate process: serves query/execute from prepared rows. Argument: rows. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { benchRow } from './support.ts';

const count = Number(process.argv[2] ?? 100_000);
const BLOCK = 10_000;
const blocks: Buffer[] = [];
const offsets = new Float64Array(count + 1);
let offset = 0;
for (let from = 0; from < count; from += BLOCK) {
  const lines: string[] = [];
  for (let index = from; index < Math.min(from + BLOCK, count); index++) {
    const line = `${JSON.stringify(benchRow(index))},`;
    offsets[index] = offset;
    offset += Buffer.byteLength(line);
    lines.push(line);
  }
  blocks.push(Buffer.from(lines.join('')));
}
offsets[count] = offset;
const rows = Buffer.concat(blocks.splice(0));

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const { search_after, size } = JSON.parse(Buffer.concat(parts).toString()) as {
      search_after: string[] | null;
      size: number;
    };
    const from = search_after === null ? 0 : Number(search_after[0]);
    const to = Math.min(from + size, count);
    const body = rows.subarray(offsets[from], Math.max(offsets[from]!, offsets[to]! - 1));
    const cursor = to < count ? `["${to}"]` : 'null';
    const head = Buffer.from('{"rows":[');
    const tail = Buffer.from(`],"search_after":${cursor},"total_rows":${count}}`);
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': head.length + body.length + tail.length,
    });
    response.write(head);
    response.write(body);
    response.end(tail);
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.on('disconnect', () => process.exit());
