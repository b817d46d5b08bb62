import { describe, expect, it } from 'vitest';
import type { App } from '#shared/model/entities.ts';
import { SECURITY_TOOLS } from '#shared/model/enums.ts';
import { expandProduct } from '#shared/model/white-label.ts';
import { facetsOf, inOrder, itemOf, moved, NO_FILTER, shown, stepped } from './catalogue.ts';

const BRANDING = { product: 'acme', name: 'Guard' };
const app = (name: string, more: Partial<App> = {}): App => ({
  name,
  label: name,
  state: 'enabled',
  is_saas: false,
  license_info: 'paid',
  ...more,
});
const items = (...apps: App[]) => apps.map((app) => itemOf(app, BRANDING));
const names = (list: readonly { app: App }[]) => list.map((item) => item.app.name);

describe('the catalogue', () => {
  it('[spec 4] orders by state, then licence, then the service’s position', () => {
    const list = items(
      app('shown', { state: 'display_only' }),
      app('contact', { license_info: 'contact_support' }),
      app('off', { state: 'disabled' }),
      app('expired', { license_info: 'expired' }),
      app('demo', { license_info: 'demo' }),
      app('second', { security_stack_order: 2 }),
      app('first', { security_stack_order: 1 }),
    );
    expect(names(inOrder(list, 'stack', []))).toEqual([
      'first',
      'second',
      'demo',
      'expired',
      'contact',
      'off',
      'shown',
    ]);
  });

  it('[spec 3] the security stack lists tools only, and the app store everything', () => {
    const list = items(
      app('tool', { app_store_order: 1, security_stack_order: 0 }),
      app('mail', { is_saas: true, app_store_order: 0 }),
    );
    expect(names(inOrder(list, 'stack', []))).toEqual(['tool']);
    expect(names(inOrder(list, 'store', []))).toEqual(['mail', 'tool']);
  });

  it('a personal order of the stack takes precedence, and new tools follow', () => {
    const list = items(app('a'), app('b'), app('c'), app('new', { security_stack_order: 0 }));
    expect(names(inOrder(list, 'stack', ['c', 'gone', 'a', 'b']))).toEqual(['c', 'a', 'b', 'new']);
    expect(names(inOrder(list, 'store', ['c', 'a', 'b']))[0]).not.toBe('c');
  });

  it('moves a tool by dragging and by keys', () => {
    expect(moved(['a', 'b', 'c'], 'c', 'a')).toEqual(['c', 'a', 'b']);
    expect(moved(['a', 'b', 'c'], 'a', null)).toEqual(['b', 'c', 'a']);
    expect(stepped(['a', 'b', 'c'], 'b', -1)).toEqual(['b', 'a', 'c']);
    expect(stepped(['a', 'b', 'c'], 'c', 1)).toEqual(['a', 'b', 'c']);
  });

  it('[spec 3] shows all 17 tools without vendor names', () => {
    const tools = SECURITY_TOOLS.map((tool) =>
      itemOf(app(expandProduct(tool, 'acme'), { label: '' }), BRANDING),
    );
    expect(tools.map(({ id }) => id)).toEqual([...SECURITY_TOOLS]);
    expect(new Set(tools.map(({ label }) => label)).size).toBe(17);
    for (const { label } of tools)
      expect(label).not.toMatch(/\{product\}|check ?point|lastline|symantec|gtb/i);
  });

  it('[spec 3] shows unknown states and licences as sent', () => {
    const [item] = items(app('x', { state: 'paused', license_info: 'trial' }));
    expect(item?.words).toMatchObject({ state: { label: 'paused' }, licence: { label: 'trial' } });
  });

  it('filters by words and facets, and each facet counts the items that match the other parts', () => {
    const list = items(
      app('sandbox', { category: 'Anti-malware' }),
      app('dlp', { category: 'DLP', state: 'disabled' }),
      app('mail', { is_saas: true, family: 'office365', category: 'Email' }),
    );
    expect(names(shown(list, { ...NO_FILTER, text: ' MALWARE ' }))).toEqual(['sandbox']);
    const filter = { ...NO_FILTER, state: ['enabled'] };
    expect(names(shown(list, filter))).toEqual(['sandbox', 'mail']);
    const { state, category } = facetsOf(list, filter);
    expect(state.map(({ value, count }) => [value, count])).toEqual([
      ['enabled', 2],
      ['disabled', 1],
    ]);
    expect(category.find(({ value }) => value === 'DLP')?.count).toBe(0);
  });
});
