import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { analyseHeaders } from '#shared/mail/analysis.ts';
import { parseHeaders } from '#shared/mail/headers.ts';
import { HeaderAnalysisView } from './analysis-panel.tsx';

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const mail = (hops: number, replies: number) => [
  ...Array.from(
    { length: hops },
    (_, index) => `Received: by h${index}.test; Mon, 1 Jan 2024 10:00:00 +0000`,
  ),
  'From: a@x.example',
  ...(replies > 0
    ? [`Reply-To: ${Array.from({ length: replies }, (_, index) => `r${index}@y.example`).join(', ')}`]
    : []),
];
/** The “… more” elements: tag and text. */
const more = (headers: readonly string[], limits: { lines: number; hops: number }, onMore?: () => void) => {
  const analysis = analyseHeaders(parseHeaders(headers.join('\r\n'), decode).headers, decode);
  const drawn = renderToStaticMarkup(
    <HeaderAnalysisView analysis={analysis} {...limits} {...(onMore ? { onMore } : {})} />,
  );
  return [...drawn.matchAll(/<(button|span)[^>]*>([\d,]+ more [a-z]+)</g)].map(([, tag, words]) => [
    tag,
    words,
  ]);
};
const onMore = () => undefined;

it('findings and hops beyond the limits are counted', () => {
  const limits = { lines: 2, hops: 8 };
  // Without results of SPF, DKIM and DMARC: one sentence about that, and one about the route.
  expect(more(mail(8, 0), limits, onMore)).toEqual([]);
  expect(more(mail(9, 1), limits, onMore)).toEqual([
    ['button', '1 more finding'],
    ['button', '1 more hop'],
  ]);
  expect(more(mail(20, 30), limits, onMore)).toEqual([
    ['button', '30 more findings'],
    ['button', '12 more hops'],
  ]);
});

it('without a view that shows all, the rest is counted as plain text instead of a button', () => {
  expect(more(mail(1, 300), { lines: 200, hops: 500 })).toEqual([['span', '102 more findings']]);
});

it('hop numbers start at the oldest hop, even if it was not analysed', () => {
  const numbers = (count: number) => {
    const analysis = analyseHeaders(parseHeaders(mail(count, 0).join('\r\n'), decode).headers, decode);
    const drawn = renderToStaticMarkup(<HeaderAnalysisView analysis={analysis} lines={9} hops={2} />);
    return [...drawn.matchAll(/em-hop-number">(\d+)</g)].map(([, number]) => number);
  };
  expect(numbers(500)).toEqual(['1', '2']);
  expect(numbers(503)).toEqual(['4', '5']);
});
