import { expect, test } from 'vitest';
import { png } from '#tests/hostile/mails.ts';
import { dataPictureSize, MAX_ALL_PIXELS, MAX_PIXELS, pictureSize, pixelGate } from './picture-size.ts';

const text = (value: string) => [...value].map((char) => char.charCodeAt(0));
const le16 = (value: number) => [value & 255, value >> 8];
const be16 = (value: number) => [value >> 8, value & 255];
const le24 = (value: number) => [...le16(value & 0xffff), value >> 16];
const le32 = (value: number) => [...le16(value & 0xffff), ...le16(value >>> 16)];
const be32 = (value: number) => [...be16(value >>> 16), ...be16(value & 0xffff)];
const zeros = (count: number) => Array<number>(count).fill(0);

const jpeg = (...segments: number[][]) => [0xff, 0xd8, ...segments.flat()];
const segment = (marker: number, ...content: number[]) => [
  0xff,
  marker,
  ...be16(content.length + 2),
  ...content,
];
const frame = (marker: number, width: number, height: number) =>
  segment(marker, 8, ...be16(height), ...be16(width), 1, 1, 0x11, 0);
const riff = (kind: string, ...content: number[]) => [
  ...text('RIFF'),
  ...le32(100),
  ...text('WEBP'),
  ...text(kind),
  ...le32(content.length),
  ...content,
];
const ispe = (width: number, height: number) => [
  ...be32(20),
  ...text('ispe'),
  ...be32(0),
  ...be32(width),
  ...be32(height),
];

test.each<[string, number[] | Uint8Array, { width: number; height: number } | null]>([
  ['PNG', png(20_000, 20_000), { width: 20_000, height: 20_000 }],
  ['GIF', [...text('GIF89a'), ...le16(640), ...le16(480), 0, 0, 0], { width: 640, height: 480 }],
  ['JPEG', jpeg(frame(0xc0, 640, 480)), { width: 640, height: 480 }],
  ['JPEG, progressive', jpeg(frame(0xc2, 65_535, 1)), { width: 65_535, height: 1 }],
  [
    'JPEG whose preview has a size of its own',
    jpeg(segment(0xe1, ...jpeg(frame(0xc0, 8, 8))), segment(0xc4, 1, 2), [0xff], frame(0xc1, 640, 480)),
    { width: 640, height: 480 },
  ],
  ['JPEG cut off', jpeg(segment(0xe0, 1, 2, 3)), null],
  ['JPEG with a segment of no length', [...jpeg(), 0xff, 0xe0, 0, 0, ...zeros(20)], null],
  ['WebP', riff('VP8 ', ...zeros(6), ...le16(640), ...le16(480)), { width: 640, height: 480 }],
  [
    'WebP without loss',
    riff('VP8L', 0x2f, ...le32(639 | (479 << 14)), ...zeros(8)),
    { width: 640, height: 480 },
  ],
  ['WebP, extended', riff('VP8X', ...zeros(4), ...le24(19_999), ...le24(9)), { width: 20_000, height: 10 }],
  [
    'BMP',
    [...text('BM'), ...zeros(12), ...le32(40), ...le32(640), ...le32(-480 >>> 0)],
    { width: 640, height: 480 },
  ],
  [
    'BMP of OS/2',
    [...text('BM'), ...zeros(12), ...le32(12), ...le16(640), ...le16(480), ...zeros(4)],
    { width: 640, height: 480 },
  ],
  [
    'AVIF, the largest of its pictures',
    [...be32(16), ...text('ftypavif'), ...zeros(4), ...ispe(8, 8), ...ispe(20_000, 30_000)],
    { width: 20_000, height: 30_000 },
  ],
  ['SVG', text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'), null],
  ['nothing', [], null],
])('%s', (_, bytes, size) => {
  expect(pictureSize(Uint8Array.from(bytes))).toEqual(size);
  const base64 = Buffer.from(bytes).toString('base64');
  expect(dataPictureSize(`data:image/png;base64,${base64.replace(/.{76}/g, '$&\n')}`)).toEqual(size);
});

test('a picture truncated anywhere never makes it throw', () => {
  const whole = [
    png(2, 2),
    Uint8Array.from(jpeg(frame(0xc0, 6, 4))),
    Uint8Array.from(riff('VP8X', ...zeros(20))),
  ];
  for (const bytes of whole)
    for (let end = 0; end <= bytes.length; end += 1)
      expect(() => pictureSize(bytes.subarray(0, end))).not.toThrow();
});

const gif = (width: number, height: number, name = '') =>
  `data:image/gif;base64,${Buffer.from([...text('GIF89a'), ...le16(width), ...le16(height), ...text(`   ${name}`)]).toString('base64')}`;

test('[limit 25 million pixels] a picture above the pixel limit is not drawn, and is reported', () => {
  const reports: string[] = [];
  const gate = pixelGate((words) => reports.push(words));
  const edge = Math.sqrt(MAX_PIXELS);
  const fits = gif(edge, edge);
  expect(gate(fits)).toBe(fits);
  expect(gate(gif(edge - 1, edge + 1))).not.toBeNull();
  expect(gate(gif(edge, edge + 1))).toBeNull();
  expect(gate(gif(edge, edge + 1))).toBeNull();
  expect(gate('data:image/png;base64,AAAA')).toBeNull();
  expect(reports).toEqual(['5,000 × 5,001 pixels', 'unreadable size']);
});

test('[limit 100 million pixels] all pictures of a body share a pixel limit; a repeated picture counts once', () => {
  const reports: string[] = [];
  const gate = pixelGate((words) => reports.push(words));
  const many = MAX_ALL_PIXELS / MAX_PIXELS;
  for (let index = 0; index < many; index += 1)
    for (const _ of [1, 2]) expect(gate(gif(5000, 5000, String(index)))).not.toBeNull();
  expect(gate(gif(1, 1))).toBeNull();
  expect(gate(gif(5000, 5000, '0'))).not.toBeNull();
  expect(reports).toEqual(['1 × 1 pixels, over the limit for one email']);
});
