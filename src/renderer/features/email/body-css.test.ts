import { expect, test } from 'vitest';
import { withoutImports } from './body-css.ts';

test.each([
  ['@import url(https://evil.example/a;b.css) screen; p{color:red}', 'p{color:red}', 1],
  ['@import "https://evil.example/;.css";p{color:red}', 'p{color:red}', 1],
  ["@IMPORT url( 'a;b' ) layer(x);p{}", 'p{}', 1],
  ['/* @import url(a); */p{}', 'p{}', 0],
  ['/* @import x */ .a{color:red}', '.a{color:red}', 0],
  ['p::after{content:"@import url(a);"}', 'p::after{content:"@import url(a);"}', 0],
  ['@import url(a', '', 1],
  ['@import "a\n;p{}', 'p{}', 1],
  ['@import a{p{}}', '{p{}}', 1],
  ['@importantly{}', '@importantly{}', 0],
  ['@import "a"; @import "b"; p{}', 'p{}', 2],
  ['p{}', 'p{}', 0],
  ['@\\69mport url(a);p{}', 'p{}', 1],
  ['@im\\port url(a);p{}', 'p{}', 1],
  ['@\\000049 MPORT "a";p{}', 'p{}', 1],
  ['@media print{p{}}', '@media print{p{}}', 0],
])('%j leaves %j', (css, text, imports) => {
  const stripped = withoutImports(css);
  expect([stripped.text.trim().replace(/\s+/g, ' '), stripped.imports]).toEqual([text, imports]);
});

test.each(['@import(', '@import "\\\\"', '"\\\\', "@import url( '", '/*@import', '@import url('])(
  'half a megabyte of %j is read in one pass',
  (piece) => {
    const css = piece.repeat(Math.ceil((512 * 1024) / piece.length));
    expect(withoutImports(css).text.length).toBeLessThanOrEqual(css.length);
  },
);
