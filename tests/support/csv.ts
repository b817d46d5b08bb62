/** An RFC 4180 parser, written only from the RFC, to check exports. */
export function parseCsv(text: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  let field = '';
  let at = 0;
  while (at < text.length) {
    if (text[at] === '"') {
      at++;
      for (;;) {
        const end = text.indexOf('"', at);
        if (end < 0) throw new Error('a quoted field does not end');
        field += text.slice(at, end);
        at = end + 1;
        if (text[at] !== '"') break;
        field += '"';
        at++;
      }
    } else {
      while (at < text.length && text[at] !== ',' && !text.startsWith('\r\n', at)) field += text[at++];
    }
    record.push(field);
    field = '';
    if (text.startsWith('\r\n', at)) {
      records.push(record);
      record = [];
      at += 2;
    } else if (text[at] === ',') {
      at++;
      if (at === text.length) record.push('');
    } else if (at < text.length)
      throw new Error(`unexpected ${JSON.stringify(text[at])} after a field at ${at}`);
  }
  if (record.length > 0) records.push(record);
  return records;
}
