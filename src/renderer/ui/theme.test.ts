// @vitest-environment happy-dom
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { ICON_Z_INDEX } from '#shared/model/constants.ts';
import { ROLL_UP_ORDER } from '#shared/model/verdict.ts';
import { applyTheme } from './theme.ts';

const root = path.resolve(import.meta.dirname, '..');
const styles = globSync('**/*.css', { cwd: root }).map((name) => ({
  name,
  text: readFileSync(path.join(root, name), 'utf8'),
}));

it('[spec 9] styles use the layers of the specification', () => {
  applyTheme('dark');
  for (const [layer, base] of Object.entries(ICON_Z_INDEX))
    expect(document.body.style.getPropertyValue(`--layer-${layer}`)).toBe(String(base));
  const used = styles.flatMap(({ text }) => text.match(/var\(--layer-\w+\)/g) ?? []);
  expect(new Set(used)).toEqual(new Set(['var(--layer-overlay)', 'var(--layer-modal)']));
});

it('no style defines a higher layer', () => {
  const large = styles.flatMap(({ name, text }) =>
    [...text.matchAll(/z-index:\s*(\d+)/g)].filter(([, z]) => Number(z) >= 100).map(([rule]) => [name, rule]),
  );
  expect(large).toEqual([]);
});

/** The tokens of a theme, with references to other tokens resolved. */
function tokensOf(theme: 'dark' | 'light'): (name: string) => string {
  const text = styles.find(({ name }) => name.endsWith('tokens.css'))?.text ?? '';
  const rules = [...text.split('@media')[0]!.matchAll(/([^{}]+)\{([^{}]*)\}/g)];
  const values = new Map(
    rules
      .filter(([, selector]) => !selector!.includes(theme === 'dark' ? '.pp-light' : '.pp-dark'))
      .flatMap(([, , body]) => [...body!.matchAll(/(--[\w-]+):\s*([^;]+);/g)])
      .map(([, name, value]) => [name!, value!.trim()]),
  );
  const resolve = (value: string): string => {
    const [, name] = /^var\((--[\w-]+)\)$/.exec(value) ?? [];
    return name === undefined ? value : resolve(values.get(name) ?? '');
  };
  return (name) => resolve(values.get(name) ?? '');
}

const luminance = (hex: string): number => {
  const [r = 0, g = 0, b = 0] = (
    hex.length === 4 ? [...hex.slice(1)].map((item) => item + item) : (hex.slice(1).match(/../g) ?? [])
  ).map((pair) => {
    const part = Number.parseInt(pair, 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (item: string, other: string): number => {
  const [light = 0, dark = 0] = [luminance(item), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
};

it.each(['dark', 'light'] as const)('[promise] two states never share a colour: %s', (theme) => {
  const of = tokensOf(theme);
  const all = styles.map(({ text }) => text).join('\n');
  const colours = (prefix: string, names: readonly string[], property: string) =>
    names.map((name) => {
      const rule = new RegExp(`(?:^|\\n)\\.${prefix}${name} \\{[^}]*?${property}: var\\((--[\\w-]+)\\)`).exec(
        all,
      );
      return of(rule?.[1] ?? '');
    });
  for (const [prefix, names, property] of [
    ['pp-v-', ROLL_UP_ORDER, 'color'],
    ['pp-verdict-', ROLL_UP_ORDER, 'color'],
    ['pp-c-', ROLL_UP_ORDER.filter((name) => name !== 'hidden'), 'fill'],
    ['pp-sev', ['1', '2', '3', '4', '5'], 'color'],
  ] as const) {
    const colors = colours(prefix, names, property);
    expect(
      colors.every((value) => value.startsWith('#')),
      `${prefix}: ${colors.join()}`,
    ).toBe(true);
    expect(new Set(colors).size, `${prefix}: ${colors.join()}`).toBe(names.length);
  }
});

it.each(['dark', 'light'] as const)(
  '[promise] facet bars and the text on them have enough contrast: %s',
  (theme) => {
    const of = tokensOf(theme);
    for (const ground of ['--bg1', '--bg2', '--sel'])
      expect(contrast(of(ground === '--sel' ? '--bar-sel' : '--bar'), of(ground)), ground).toBeGreaterThan(
        1.2,
      );
    for (const bar of ['--bar', '--bar-sel'])
      for (const text of ['--t1', '--t2'])
        expect(contrast(of(text), of(bar)), `${text} on ${bar}`).toBeGreaterThan(4.5);
  },
);
