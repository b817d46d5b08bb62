import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { typeByContent } from './magic.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');

test.each([
  ['MZ\x90\0\x03\0', 'application/x-msdownload'],
  ['%PDF-1.7\n', 'application/pdf'],
  ['\x89PNG\r\n\x1a\n\0\0', 'image/png'],
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0', 'application/x-cfb'],
  ['PK\x03\x04\x14\0readme.txt', 'application/zip'],
  [
    'PK\x03\x04\x14\0[Content_Types].xml\0word/document.xml',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  ],
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
])('%j is %s', (bytes, type) => expect(typeByContent(latin1(bytes))).toBe(type));

test('compressed bytes, and none', () => {
  expect(typeByContent(gzipSync('x'))).toBe('application/gzip');
  expect(typeByContent(Buffer.alloc(0))).toBeNull();
});
