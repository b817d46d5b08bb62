/** What is found in attachments: files of archives, links of documents, QR codes; and files made against that. */
import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { expectLinear } from '#tests/support/growth.ts';
import { bitRows, pngOf, qrImage } from '#tests/support/qr-images.ts';
import { storedZip } from '#tests/support/stored-zip.ts';
import { isoList } from '../containers/iso.ts';
import { sevenZipList } from '../containers/seven-zip.ts';
import { pdfContents } from '../documents/pdf-contents.ts';
import { readMail } from './read-mail.ts';
import { DEFAULT_LIMITS, type ParsedMail } from './types.ts';

type File = readonly [name: string, bytes: Uint8Array | string, type?: string];

async function mailWith(files: readonly File[], html = ''): Promise<ParsedMail> {
  const lines = ['From: a@x.example', 'Content-Type: multipart/mixed; boundary=b', ''];
  if (html !== '') lines.push('--b', 'Content-Type: text/html', '', html);
  for (const [name, bytes, type = 'application/octet-stream'] of files)
    lines.push(
      '--b',
      `Content-Type: ${type}`,
      `Content-Disposition: attachment; filename="${name}"`,
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from(bytes).toString('base64'),
    );
  const raw = Buffer.from([...lines, '--b--', ''].join('\r\n'));
  const result = await readMail(
    { raw, sha256: '', isParted: false },
    { limits: DEFAULT_LIMITS, believed: [], make: (mail) => ({ mail }) },
  );
  if (!result.ok) throw new Error(result.reason);
  return result.mail.mail;
}

const linksIn = ({ links }: ParsedMail) => links.map(({ url, source, within }) => [source, within, url]);
const membersIn = ({ attachments }: ParsedMail) =>
  attachments.flatMap(({ members }) => members.map(({ path, size, encrypted }) => [path, size, encrypted]));

describe('files in archives are listed', () => {
  it('of a zip in a zip, with their type by content', async () => {
    const inner = storedZip({ 'docs/photo.jpg': 'MZ\x90\0' });
    const mail = await mailWith([['a.zip', storedZip({ 'in.zip': inner, 'readme.txt': 'Hi' })]]);
    expect(
      mail.attachments[0]?.members.map(({ path, name, contentType }) => [path, name, contentType]),
    ).toEqual([
      ['in.zip', 'in.zip', 'application/zip'],
      ['in.zip/docs/photo.jpg', 'photo.jpg', 'application/x-msdownload'],
      ['readme.txt', 'readme.txt', 'text/plain'],
    ]);
  });

  it('of an encrypted zip, without its content', async () => {
    const mail = await mailWith([['a.zip', storedZip({ 'run.exe': 'x' }, 1)]]);
    expect(membersIn(mail)).toEqual([['run.exe', 1, true]]);
  });

  it('of a compressed file', async () => {
    expect(membersIn(await mailWith([['a.exe.gz', gzipSync('MZ')]]))).toEqual([['a.exe', null, false]]);
  });

  it('of a RAR archive, which is not unpacked', async () => {
    // Written by RAR 5 for the tests of Python's rarfile (ISC), truncated.
    const rar = Buffer.from(
      'UmFyIRoHAQDz4YLrCwEFBwAGAQGAgIAAJjj1xBMDApQABJQAAIbqpZWAAAEDQ01UUkFSNSBhcmNoaXZlIC0gY3JjCgCE9vQaKAIDC7cABIAQpIMCoua3xYADAQpzdGVzdDEudHh0CgMCgMwgl+YozAHEqjRENCT6MutH+sRNfb3mBYCCCozBAyqVyiKbUBqT3UD8AEACANRgBDbtFfm3VIMqZE7NfB/ggt7NNjgCAxuAEASAEKSDAqLmt8WAAAEKc3Rlc3QyLnR4dBoDDoDMIJfmKMwBgBbjEgq00QGAcEUVCrTRATAwMAowMDEKMDAyCjAwMwowMDQKMDA1CjAwNgowMDcKMDA4CjAwOQowMTAKMDExCjAxMgowMTMKMDE0CjAxNQowMTYKMDE3CjAxOAowMTkKMDIwCjAyMQowMjI=',
      'base64',
    );
    expect(membersIn(await mailWith([['a.rar', rar]]))).toEqual([
      ['stest1.txt', 2048, false],
      ['stest2.txt', 2048, false],
    ]);
  });

  it('of a 7z archive with a packed directory; hidden names are told', async () => {
    // Three files written by 7z 26: encrypted, and encrypted with their names.
    const locked = Buffer.from(
      'N3q8ryccAASLqMmyqgAAAAAAAAAiAAAAAAAAAHzjSkN6aQY/vIXGUHHXNSS3liQ+7v/sCzR651/t9DsWTSP3KgAAgTMHrg/QDrA8nzkQnJ+m1TPasi6w1vOPae0BELgQii1zBphNZbbwqNONeIZBighKOyuLPB0lz7c6HxDrpHl2N2frtqqmHh10LXQKWZmZBSLbn2pe/E1YzneF7cizdlUbbpQIbmLg7bprO4+n+eaNZKzpX8xuAOzd/4WwZWb7weu260+tRgAAABcGIAEJgIoABwsBAAEjAwEBBV0AEAAADIDSCgHAbmOFAAA=',
      'base64',
    );
    const hidden = Buffer.from(
      'N3q8ryccAASBnpWRsAAAAAAAAAA+AAAAAAAAAG8VUoICro4baIoBD+lVavLD+fW+sf5N/6KjM/SJ7K76MvAmaqAZe2AS/BuFjSDlp5z1vrq5YLd67iJVl5N7fgR2S91kG7tZFcBzj+ea60j53RTrN/34I4+B0jjISlhGSbWfsq9Ei4mwk+5D6UVtoN+PB0Iezu7Y6OOuYodcNKGiEqMUTiSwyUN/wisHwF47t/WYiXn2m1hJQ5k40/2xKEKgw1o9eHfnjtD13mRMYjEefWTfChcGIAEJgJAABwsBAAIkBvEHARJTDxy1F+0vBeXz3nVlBvI9tUAjAwEBBV0AEAAAAQAMgIqA0goBiEqF9QAA',
      'base64',
    );
    const mail = await mailWith([
      ['locked.7z', locked],
      ['hidden.7z', hidden],
    ]);
    const [first, second] = mail.attachments;
    expect(first?.members).toHaveLength(3);
    expect(
      first?.members.every(({ encrypted, size, name }) => encrypted && size !== null && name !== ''),
    ).toBe(true);
    expect(second?.members).toEqual([]);
    expect(mail.unsearched).toEqual([
      expect.stringMatching(/^“hidden.7z” is listed in part: its names are encrypted/),
    ]);
    for (let index = 0; index < locked.length; index++) {
      const changed = Buffer.from(locked);
      changed[index] = 0xff;
      sevenZipList(changed);
      sevenZipList(locked.subarray(0, index));
    }
  });

  it('of a disk image, by their Joliet names; folders that contain themselves are listed once', () => {
    const SECTOR = 2_048;
    const image = Buffer.alloc(24 * SECTOR);
    const volume = (sector: number, type: number, root: number) => {
      image[sector * SECTOR] = type;
      image.write('CD001', sector * SECTOR + 1, 'latin1');
      image.writeUInt32LE(root, sector * SECTOR + 158);
      image.writeUInt32LE(SECTOR, sector * SECTOR + 166);
    };
    volume(16, 1, 20);
    volume(17, 2, 21);
    image.write('%/E', 17 * SECTOR + 88, 'latin1');
    image[18 * SECTOR] = 255;
    image.write('CD001', 18 * SECTOR + 1, 'latin1');
    let end = 21 * SECTOR;
    const record = (name: string, flags: number, sector: number) => {
      const bytes = Buffer.from(name, 'utf16le').swap16();
      const length = 33 + bytes.length + (bytes.length % 2 === 0 ? 1 : 0);
      image[end] = length;
      image.writeUInt32LE(sector, end + 2);
      image.writeUInt32LE(7, end + 10);
      image[end + 25] = flags;
      image[end + 32] = bytes.length;
      bytes.copy(image, end + 33);
      end += length;
    };
    record('Übersicht.pdf.lnk;1', 0, 22);
    image.writeUInt32LE(7, end + 10);
    record('folder', 2, 21);
    expect(isoList(image)).toEqual([{ path: 'Übersicht.pdf.lnk', size: 7, encrypted: false }]);
    expect(isoList(Buffer.alloc(SECTOR))).toBeNull();
  });
});

describe('links in a PDF', () => {
  const LINK = '/A<</S/URI/URI(https://evil.example.net/a\\)b)>>';
  const stream = (dictionary: string, bytes: Buffer) =>
    Buffer.concat([
      Buffer.from(`\n5 0 obj\n<<${dictionary}/Length ${bytes.length}>>\nstream\n`),
      bytes,
      Buffer.from('\nendstream\nendobj\n'),
    ]);
  const pdf = (...pieces: (string | Buffer)[]) =>
    Buffer.concat(['%PDF-1.7\n', ...pieces].map((piece) => Buffer.from(piece)));
  const urls = (bytes: Buffer) => pdfContents(bytes).links;
  const URL_OF_LINK = 'https://evil.example.net/a)b';

  it('are rows with the name of the file', async () => {
    const mail = await mailWith([['invoice.pdf', pdf(`1 0 obj<<${LINK}>>endobj`)]]);
    expect(linksIn(mail)).toEqual([['document', 'invoice.pdf', URL_OF_LINK]]);
  });

  it.each([
    ['in the file itself', pdf(`1 0 obj<<${LINK}>>endobj`), [URL_OF_LINK]],
    [
      'in compressed objects',
      pdf(stream('/Type/ObjStm/Filter/FlateDecode', deflateSync(`1 0 <<${LINK}>>`))),
      [URL_OF_LINK],
    ],
    [
      'in objects that are compressed and written in hexadecimal digits',
      pdf(
        stream(
          '/Type/ObjStm/Filter[/ASCIIHexDecode/Fl#61teDecode]',
          Buffer.from(`${deflateSync(`<<${LINK}>>`).toString('hex')}>`),
        ),
      ),
      [URL_OF_LINK],
    ],
    [
      'in what claims to be a stream',
      pdf(stream('', Buffer.from(`7 0 obj<<${LINK}>>endobj`))),
      [URL_OF_LINK],
    ],
    ['after a stream that never ends', pdf('4 0 obj<<>>stream\n', `1 0 obj<<${LINK}>>endobj`), [URL_OF_LINK]],
    [
      'with an escaped name, in UTF-16',
      pdf('<</U#52I<feff0068007400740070003a002f002f0078002e0074006500730074>>>'),
      ['http://x.test'],
    ],
    [
      'given by a reference',
      pdf('9 0 obj (https://evil.example.net/r) endobj'),
      ['https://evil.example.net/r'],
    ],
    ['that only name the program that made it', pdf('<</Producer(https://maker.example)>>'), []],
  ])('%s', (_, bytes, links) => expect(urls(bytes)).toEqual(links));

  it('are read in linear time from texts without end, streams without end, and names', async () => {
    for (const piece of [
      '(',
      '((\\',
      '/A',
      '<</URI (',
      'stream\n',
      '1 0 obj<<>>stream\nendstream\n',
      '%',
      '<',
    ])
      await expectLinear(400_000, (size) => pdfContents(pdf(piece.repeat(size / piece.length))));
  });

  it('that unpack to more than is read are told, and the others found', () => {
    const bomb = deflateSync(Buffer.alloc(40 * 1024 * 1024));
    const contents = pdfContents(
      pdf(stream('/Type/ObjStm/Filter/FlateDecode', bomb), `1 0 obj<<${LINK}>>endobj`),
    );
    expect([contents.isPartial, contents.links]).toEqual([true, [URL_OF_LINK]]);
  });

  it('of a PDF with a password are unknown, which is said', async () => {
    const bytes = pdf(`1 0 obj<<${LINK}>>endobj\ntrailer\n<</Root 1 0 R/Encrypt 2 0 R>>\n`);
    const mail = await mailWith([['a.pdf', bytes]]);
    expect(linksIn(mail)).toEqual([]);
    expect(mail.unsearched).toEqual(['“a.pdf” is encrypted: its links and QR codes are unknown']);
  });

  it('include QR codes in its images', async () => {
    const image = await qrImage('https://qr.example.net/pdf');
    const flate = (bits: number, rows: Buffer, more = '') =>
      stream(
        `/Subtype/Image/Width ${image.width}/Height ${image.height}/BitsPerComponent ${bits}${more}/Filter/FlateDecode`,
        deflateSync(rows),
      );
    for (const piece of [
      flate(1, bitRows(image)),
      flate(8, image.grey),
      flate(8, Buffer.from(image.grey.map((value) => value & 1))),
    ])
      expect(linksIn(await mailWith([['a.pdf', pdf(piece)]]))).toEqual([
        ['qr', 'a.pdf', 'https://qr.example.net/pdf'],
      ]);
  });
});

describe('links in other documents', () => {
  it('come from lists of relations, hyperlinks of rich text, pages and invitations', async () => {
    const rels =
      '<Relationships><Relationship Type="http://x/hyperlink" Target="https://evil.example.net/d?a=1&amp;b=2" TargetMode="External"/></Relationships>';
    const mail = await mailWith([
      ['a.docx', storedZip({ 'word/document.xml': '', 'word/_rels/document.xml.rels': rels, 'word/x': '' })],
      ['b.rtf', '{\\rtf1{\\field{\\*\\fldinst HYPERLINK "https://evil.example.net/rtf"}}}'],
      ['c.html', '<a href="https://evil.example.net/page">x</a>', 'text/html'],
      ['d.ics', 'BEGIN:VCALENDAR\r\nLOCATION:https://evil.example.net/ics\r\n', 'text/calendar'],
    ]);
    expect(linksIn(mail).toSorted()).toEqual([
      ['document', 'a.docx', 'https://evil.example.net/d?a=1&b=2'],
      ['document', 'b.rtf', 'https://evil.example.net/rtf'],
      ['html', 'c.html', 'https://evil.example.net/page'],
      ['text', 'd.ics', 'https://evil.example.net/ics'],
    ]);
  });
});

describe('QR codes', () => {
  const JPEG =
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wCEACAWGBwYFCAcGhwkIiAmMFA0MCwsMGJGSjpQdGZ6eHJmcG6AkLicgIiuim5woNqirr7EztDOfJri8uDI8LjKzsYBIiQkMCowXjQ0XsaEcITGxsbGxsbGxsbGxsbGxsbGxsbGxsbGxsbGxsbGxsbGxsbGxsbGxsbGxsbGxsbGxsbGxv/AABEIAEIAQgMBEQACEQEDEQH/xAGiAAABBQEBAQEBAQAAAAAAAAAAAQIDBAUGBwgJCgsQAAIBAwMCBAMFBQQEAAABfQECAwAEEQUSITFBBhNRYQcicRQygZGhCCNCscEVUtHwJDNicoIJChYXGBkaJSYnKCkqNDU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6g4SFhoeIiYqSk5SVlpeYmZqio6Slpqeoqaqys7S1tre4ubrCw8TFxsfIycrS09TV1tfY2drh4uPk5ebn6Onq8fLz9PX29/j5+gEAAwEBAQEBAQEBAQAAAAAAAAECAwQFBgcICQoLEQACAQIEBAMEBwUEBAABAncAAQIDEQQFITEGEkFRB2FxEyIygQgUQpGhscEJIzNS8BVictEKFiQ04SXxFxgZGiYnKCkqNTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqCg4SFhoeIiYqSk5SVlpeYmZqio6Slpqeoqaqys7S1tre4ubrCw8TFxsfIycrS09TV1tfY2dri4+Tl5ufo6ery8/T19vf4+fr/2gAMAwEAAhEDEQA/AOgoAKACgAoAKACgAoAKACgAoA5MCyttNtZZrPznm35PmlehxQBcso7f7ZptxbweT5vm7l3lugx3oApvaRmGOC2tvOebPlXPmbd+OT8p6Y6c0AaFnqEep6lbsw8l4d2xPvb8jnnHGMUAEunxxzaZZTHzUHm5/hz39aAKdg2nXl5Hb/2ds35+bz2OMAn+lAGxoP8AyB4P+Bf+hGgDQoAKAOfjs7j7HDb3Gled5W7a32gL1Oe1AFi2t7j7ZZ/6D9mgt9//AC1D/eH59aAJHeTV9NjVYvLSfO992fL2njjjOcUAZdtY2895ZyeXtgud/wC53E7do/vdTzzQBoNb3EX2CS3sceR5m6HzR8uf9o/nQBHBbSW0yyw6Ltdeh+1Z9qANDSYJLbTYopl2uucjOe5NAFygAoAz49Nt57OFLi08vy922PzCduT6g80Ac/JN9ss5pntd86bfMuPMxjJwPl6dBigDQtL7dZvMJNk74+03G3Pl4OE+XocjjigDQj/s6K8htE4ng3eWvzfLkZPPTpQBn2kPlWbzG6xBBj7NceX93Jw/y9evHNAFiSTTtR863t59s9zt3NsY5289+OgoA1III7aFYoV2ovQZz70ASUAFAHPyaZ/a95NdpNsgfb5bbc7sDB4yCMEUASQCQTLLZWf2i1j/AOPY+bs2Z4brycnPWgCSwj3Wcb6fB9m+0Z3yb9/l7SccHrnn86AKcCSQQre2kv2S1m/1ny+Z5eOB15OT+WaAKdotvBeO6aj5fl48uTyCd2Rzx2oA0La38/R7P/QftW3f/wAtdm35v1/+tQBqaSkcemxLDL5qDOH27c8ntQBcoAKAMf7XcajZ/wDIL8yCT/p4Azg/n1FAEguJJNStVu7DynO/y387djjngUAZ4STXIbVTLl4t/nPt+7n7vHGc47UAWINQjtJlkmG9Lnrd9N+3/Yxxjp+tAEemabbz2dq72nmeZv8AMk8wjbgnHGeaAKYtI49Ntb023moN/nfvNuecL/kUAbmg/wDIHg/4F/6EaANCgAoA5drG4vNHsPs8e/Z5m75gMZb3+lAFy1gktptIimXa6+dkZz70AU5LXz/OS4fzNUk27Y8Y249x8p+WgC493HcwxrbXP2jUY8+U/l7OvXg8fd9aAM/TdLkk1IxXMOUi/wBaN3TIJHQ/yoALNL22ht2sZfnu93ybR/D7n8aAOksLX7HZx2+/fsz82MZySf60AWKACgDP/sTTv+ff/wAfb/GgCSDS7K2mWWGHa69DuJ9vWgCS0sbez3/Z49m/G75ic4+v1oAjn0uyuZmlmh3O3U7iPb1oAkksbeXzt8efP2+Z8x+bHSgCv/Ymnf8APv8A+Pt/jQBcggjtoVihXai9BnPvQBJQAUAFABQAUAFABQAUAFABQB//2Q==';
  const png = async (text: string) => pngOf(await qrImage(text));

  it('are read in PNG, JPEG and the addresses of the HTML, and their links name the image', async () => {
    const inHtml = `<img src="data:image/png;base64,${(await png('www.evil.example.net')).toString('base64')}">`;
    const mail = await mailWith(
      [
        ['a.png', await png('https://qr.example.net/png')],
        ['b.jpg', Buffer.from(JPEG, 'base64')],
      ],
      inHtml,
    );
    expect(linksIn(mail)).toEqual([
      ['qr', 'a.png', 'https://qr.example.net/png'],
      ['qr', 'b.jpg', 'https://jpeg.example.net/a'],
      ['qr', 'the HTML', 'http://www.evil.example.net'],
    ]);
  });

  it('are read in colours turned round; one of a text without an address is no link', async () => {
    const image = await qrImage('https://qr.example.net/dark');
    const dark = pngOf({ ...image, grey: Buffer.from(image.grey.map((value) => 255 - value)) });
    const mail = await mailWith([
      ['dark.png', dark],
      ['text.png', await png('Table 7')],
    ]);
    expect(linksIn(mail)).toEqual([['qr', 'dark.png', 'https://qr.example.net/dark']]);
  });

  it('that hold the address of another QR code are one link, and nothing is fetched', async () => {
    const mail = await mailWith([['a.png', await png('https://qr.example.net/qr.png')]]);
    expect(mail.links).toHaveLength(1);
  });

  it('are not searched in images that say they are huge, unpack to more than they are, or are no image; that is said', async () => {
    const huge = pngOf({ width: 50_000, height: 200, grey: Buffer.alloc(0) });
    const bomb = pngOf(
      { width: 100, height: 100, grey: Buffer.alloc(0) },
      deflateSync(Buffer.alloc(5_000_000)),
    );
    const scans = Buffer.concat([Buffer.from(JPEG, 'base64'), Buffer.from('\xff\xda'.repeat(60), 'latin1')]);
    const gif = Buffer.concat([Buffer.from('GIF89a\x80\x02\x80\x02', 'latin1'), Buffer.alloc(600_000)]);
    const mail = await mailWith([
      ['huge.png', huge],
      ['bomb.png', bomb],
      ['scans.jpg', scans],
      ['large.gif', gif],
      ['a.png', '\x89PNG\r\n\x1a\n'],
    ]);
    expect(mail.unsearched).toEqual(['4 images could not be searched for QR codes']);
    expect(linksIn(mail)).toEqual([]);
  });

  it('are not searched for long in an image made of their corners, which is said', async () => {
    const CORNER = ['1111111', '1000001', '1011101', '1011101', '1011101', '1000001', '1111111', ''];
    const width = 1_000;
    const grey = Buffer.alloc(width * width, 255);
    for (let y = 0; y < width; y++)
      for (let x = 0; x < width; x++) if (CORNER[y % 8]?.[x % 8] === '1') grey[y * width + x] = 0;
    const mail = await mailWith([['corners.png', pngOf({ width, height: width, grey })]]);
    expect(mail.unsearched).toEqual(['1 image could not be searched for QR codes']);
  });

  it('[limit 30 images] are searched in the first of a thousand images, and the rest is said', async () => {
    const images = await Promise.all(
      Array.from(
        { length: 1_000 },
        async (_, index): Promise<File> => [
          `${index}.png`,
          index < 40 ? await png(`https://qr.example.net/${index}`) : await png('x'),
        ],
      ),
    );
    const mail = await mailWith(images);
    expect(mail.links).toHaveLength(30);
    expect(mail.unsearched).toEqual(['970 images could not be searched for QR codes']);
  });
});
