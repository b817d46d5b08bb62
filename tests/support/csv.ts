/** An RFC 4180 parser, written only from the RFC, to check exports. */
export function parseCsv(text: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  let field = '';
  let index = 0;
  while (index < text.length) {
    if (text[index] === '"') {
      index++;
      for (;;) {
        const end = text.indexOf('"', index);
        if (end < 0) throw new Error('a quoted field does not end');
        field += text.slice(index, end);
        index = end + 1;
        if (text[index] !== '"') break;
        field += '"';
        index++;
      }
    } else {
      while (index < text.length && text[index] !== ',' && !text.startsWith('\r\n', index))
        field += text[index++];
    }
    record.push(field);
    field = '';
    if (text.startsWith('\r\n', index)) {
      records.push(record);
      record = [];
      index += 2;
    } else if (text[index] === ',') {
      index++;
      if (index === text.length) record.push('');
    } else if (index < text.length)
      throw new Error(`unexpected ${JSON.stringify(text[index])} after a field at ${index}`);
  }
  if (record.length > 0) records.push(record);
  return records;
}
