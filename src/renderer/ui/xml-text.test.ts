import { expect, test } from 'vitest';
import { xmlText } from './xml-text.ts';

test.each([
  ['a < b & c > "d"', 'a &lt; b &amp; c &gt; "d"'],
  ['tab\tline\nemoji \u{1f600}\u{10ffff}', 'tab\tline\nemoji \u{1f600}\u{10ffff}'],
  ['cut \ud83d', 'cut \ufffd'],
  ['\u0000\u0001\u001f\ufffe\uffff', '\ufffd\ufffd\ufffd\ufffd\ufffd'],
])('%j is %j in XML', (text, written) => {
  expect(xmlText(text)).toBe(written);
  // Plotly turns the text into a data URL.
  expect(() => encodeURIComponent(written)).not.toThrow();
});
