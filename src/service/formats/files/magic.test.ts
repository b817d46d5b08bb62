import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { expectLinear } from '#tests/support/growth.ts';
import { typeByContent } from './magic.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');

const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
/** A zip whose first entry, uncompressed, names its type. */
const named = (type: string) => `PK\x03\x04${'\0'.repeat(22)}\x08\0\0\0mimetype${type}PK\x03\x04`;

test.each([
  ['MZ\x90\0\x03\0', 'application/x-msdownload'],
  ['%PDF-1.7\n', 'application/pdf'],
  ['\x89PNG\r\n\x1a\n\0\0', 'image/png'],
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0', 'application/x-cfb'],
  ['PK\x03\x04\x14\0readme.txt', 'application/zip'],
  ['PK\x03\x04\x14\0[Content_Types].xml\0word/document.xml', WORD],
  ['PK\x03\x04\x14\0META-INF/MANIFEST.MF', 'application/java-archive'],
  [`${'\0'.repeat(32_769)}CD001\x01`, 'application/x-iso9660-image'],
  [`${'a'.repeat(257)}ustar\0`, 'application/x-tar'],
  ['\xef\xbb\xbf <!-- a --><HTML><body>', 'text/html'],
  ['<script>alert(1)</script>', 'text/html'],
  ['<?xml version="1.0"?><svg onload="x()">', 'image/svg+xml'],
  ['<?xml version="1.0"?><invoice/>', 'text/xml'],
  ['Dear all,\r\nthe figures', 'text/plain'],
  ['\0\x01\x02nothing known', 'application/octet-stream'],
  ['M', 'text/plain'],
  ['PK\x05\x06\0\0', 'application/zip'],
  ['PK\x07\x08PK\x03\x04\x14\0readme.txt', 'application/zip'],
  [named('application/vnd.oasis.opendocument.spreadsheet'), 'application/vnd.oasis.opendocument.spreadsheet'],
  [named('application/epub+zip'), 'application/epub+zip'],
  // A zip must not pass for another type by naming it.
  [named('application/pdf'), 'application/zip'],
  [`${named('application/epub+zip')}word/document.xml`, WORD],
  [`${named('application/pdf')}META-INF/MANIFEST.MF`, 'application/java-archive'],
  ['PK\x03\x04\x14\0META-INF/container.xml', 'application/epub+zip'],
  ['\xef\xbb\xbf%PDF-1.7\n\x80\n%%EOF\n', 'application/pdf'],
  [`${'x'.repeat(1_000)}%PDF-1.7\n%%EOF`, 'application/pdf'],
  [`${'x'.repeat(1_020)}%PDF-1.7\n%%EOF`, 'text/plain'],
  ['A PDF begins with %PDF-1.7', 'text/plain'],
  ['\xca\xfe\xba\xbe\0\0\0\x34', 'application/java-vm'],
  ['\xca\xfe\xba\xbe\0\0\0\x02', 'application/x-mach-binary'],
  ['\xca\xfe\xba\xbe', 'application/java-vm'],
  ['\0\0\0\x18ftypheic\0', 'image/heic'],
  ['\0\0\0\x18ftypisom\0', 'video/mp4'],
  ['\0\x01\0\0Standard ACE DB\0', 'application/x-msaccess'],
  ['\x22\x0d-lh5-\0', 'application/x-lzh-compressed'],
  ['ab-lh5-', 'text/plain'],
  ['\xff\xfe', 'text/plain'],
  ['\xff', 'text/plain'],
])('%j is %s', (bytes, type) => expect(typeByContent(latin1(bytes))).toBe(type));

test('HTML in UTF-16 is recognised, as browsers open it', () => {
  const html = Buffer.from('\ufeff<html><body>hello</body></html>', 'utf16le');
  expect(typeByContent(html)).toBe('text/html');
  expect(typeByContent(Buffer.from(html).swap16())).toBe('text/html');
  expect(typeByContent(Buffer.from('\ufeffDear all', 'utf16le'))).toBe('text/plain');
});

test('compressed bytes are recognised, and no bytes have no type', () => {
  expect(typeByContent(gzipSync('x'))).toBe('application/gzip');
  expect(typeByContent(Buffer.alloc(0))).toBeNull();
});

test('many comments before a text are read in linear time', () =>
  expectLinear(12, (count) => {
    expect(typeByContent(latin1(`<!---->${'<!--l><l--><!---->'.repeat(count)}1`))).toBe('text/plain');
  }));
