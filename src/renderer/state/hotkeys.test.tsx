// @vitest-environment happy-dom
import type { JSX } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { chordOf } from '#renderer/ui/chord.ts';
import { onFrontChange } from '#renderer/ui/front-change.ts';
import { mount } from '#tests/support/mount.tsx';
import {
  commandsNow,
  type Hotkey,
  listenForKeys,
  useHotkeyList,
  useHotkeys,
  useKeysAhead,
} from './hotkeys.ts';
import { TabContext } from './tab-context.ts';

const press = (key: string, mods = '', code = '') => ({
  key,
  code,
  ctrlKey: mods.includes('c'),
  metaKey: mods.includes('m'),
  altKey: mods.includes('a'),
  shiftKey: mods.includes('s'),
});

describe('chordOf', () => {
  it.each([
    [press('k', 'c'), 'Ctrl+K'],
    [press('k', 'm'), 'Ctrl+K'],
    [press('x'), 'X'],
    [press('X', 's'), 'Shift+X'],
    [press('?', 's'), '?'],
    [press('/'), '/'],
    [press(' '), 'Space'],
    [press('Tab', 'cs'), 'Ctrl+Shift+Tab'],
    [press('¡', 'a', 'Digit1'), 'Alt+1'],
    [press('Escape'), 'Escape'],
    [press('['), '['],
    [press('ж'), 'Ж'],
    [{ ...press('[', 'ca'), getModifierState: (key: string) => key === 'AltGraph' }, '['],
    [{ ...press('[', 'c'), getModifierState: () => false }, 'Ctrl+['],
  ])('%j is %s', (event, chord) => expect(chordOf(event)).toBe(chord));
});

describe('keys of the screen in front', () => {
  let ran: string[] = [];
  let unlisten: () => void = () => undefined;
  let unmounts: (() => Promise<void>)[] = [];
  beforeEach(() => {
    ran = [];
    unlisten = listenForKeys();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    for (const unmount of unmounts) await unmount();
    unmounts = [];
    unlisten();
    document.body.replaceChildren();
  });

  const key = (name: string, chord: string, more: Partial<Hotkey> = {}): Hotkey => ({
    keys: [chord],
    text: name,
    run: () => ran.push(name),
    ...more,
  });
  function Keys({ hotkeys }: { hotkeys: readonly Hotkey[] }): JSX.Element | null {
    useHotkeys(hotkeys);
    return null;
  }
  const show = async (hotkeys: readonly Hotkey[], isActive = true) => {
    const tab = (active: boolean) => (
      <TabContext value={{ tabId: 't', isActive: active, isShown: true }}>
        <Keys hotkeys={hotkeys} />
      </TabContext>
    );
    const { draw, unmount } = await mount(tab(isActive));
    unmounts.push(unmount);
    return { front: (active: boolean) => draw(tab(active)) };
  };
  /** Presses a key on an element; returns whether something handled it. */
  const type = (name: string, mods: KeyboardEventInit = {}, on: Element = document.body) =>
    !on.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true, ...mods }));
  const put = (html: string): Element => {
    const holder = document.createElement('div');
    holder.innerHTML = html;
    document.body.append(holder);
    return holder.firstElementChild ?? holder;
  };

  it('the newest hotkey runs first; if it declines, the one before runs', async () => {
    await show([key('window', 'J'), key('window only', 'Q')]);
    await show([key('screen', 'J')]);
    await show([key('declines', 'J', { run: () => ran.push('declines') < 0 })]);
    expect(type('j')).toBe(true);
    expect(ran).toEqual(['declines', 'screen']);
    type('q');
    expect(ran.at(-1)).toBe('window only');
    expect(type('z')).toBe(false);
  });

  it('a background tab receives no keys until it is in front again', async () => {
    const { front } = await show([key('behind', 'J')], false);
    expect(type('j')).toBe(false);
    await front(true);
    expect(type('j')).toBe(true);
    await front(false);
    expect(type('j')).toBe(false);
  });

  it('[promise] a global hotkey pressed in a menu closes the menu before it acts', async () => {
    const order: string[] = [];
    unmounts.push(async () => unlistenFront());
    const unlistenFront = onFrontChange(() => order.push(...ran, 'closed'));
    await show([key('palette', 'Ctrl+K'), key('letter', 'K')]);
    const item = put('<div role="menu"><a role="menuitem" tabindex="0">Quarantine…</a></div>')
      .firstElementChild!;
    expect(type('k', {}, item)).toBe(false);
    expect(type('k', { ctrlKey: true })).toBe(true);
    expect(order).toEqual([]);
    ran = [];
    expect(type('k', { ctrlKey: true }, item)).toBe(true);
    expect([order, ran]).toEqual([['closed'], ['palette']]);
  });

  it('typing in a field triggers no hotkeys except chords with Ctrl and those for inputs', async () => {
    await show([
      key('plain', 'J'),
      key('alt', 'Alt+J'),
      key('ctrl', 'Ctrl+J'),
      key('always', 'Escape', { inInputs: true }),
    ]);
    for (const field of ['<input />', '<textarea></textarea>', '<div role="textbox" tabindex="0"></div>']) {
      const input = put(field);
      ran = [];
      expect(type('j', {}, input)).toBe(false);
      expect(type('j', { altKey: true }, input)).toBe(false);
      expect(type('j', { ctrlKey: true }, input)).toBe(true);
      expect(type('Escape', {}, input)).toBe(true);
      expect(ran).toEqual(['ctrl', 'always']);
    }
    ran = [];
    type('j', {}, put('<input type="checkbox" />'));
    expect(ran).toEqual(['plain']);
  });

  it('[promise] a character typed with Alt in a field triggers no hotkey', async () => {
    await show([key('section', 'Alt+2', { inInputs: true }), key('new', 'Alt+N', { inInputs: true })]);
    const input = put('<input />');
    // The test's window reports every Alt as AltGr.
    vi.spyOn(KeyboardEvent.prototype, 'getModifierState').mockReturnValue(false);
    const alt = (more: KeyboardEventInit) => ({ altKey: true, ...more });
    // Windows: 0228 on the number pad is ä.
    expect(type('2', alt({ code: 'Numpad2' }), input)).toBe(false);
    expect(type('2', alt({ code: 'Digit2' }), input)).toBe(true);
    vi.spyOn(navigator, 'platform', 'get').mockReturnValue('MacIntel');
    expect(type('@', alt({ code: 'Digit2' }), input)).toBe(false);
    expect(type('Dead', alt({ code: 'KeyN' }), input)).toBe(false);
    expect(ran).toEqual(['section']);
    expect(type('@', alt({ code: 'Digit2' }))).toBe(true);
    expect(type('Dead', alt({ code: 'KeyN' }))).toBe(true);
    expect(ran).toEqual(['section', 'section', 'new']);
  });

  it('[promise] Enter and Space press the control that has the focus', async () => {
    await show([key('enter', 'Enter'), key('space', 'Space')]);
    const button = put('<button type="button">Delete</button>');
    expect(type('Enter', {}, button)).toBe(false);
    expect(type(' ', {}, button)).toBe(false);
    type('Enter');
    expect(ran).toEqual(['enter']);
  });

  it('with Ctrl they are hotkeys of the screen, and press nothing on keyup', async () => {
    await show([key('run', 'Ctrl+Enter')]);
    const button = put('<button type="button">Delete</button>');
    const up = () => {
      const event = new KeyboardEvent('keyup', { key: 'Enter', bubbles: true, cancelable: true });
      button.dispatchEvent(event);
      return event.defaultPrevented;
    };
    type('Enter', { ctrlKey: true }, button);
    expect(ran).toEqual(['run']);
    expect(up()).toBe(true);
    type('Enter', {}, button);
    expect(up()).toBe(false);
  });

  it('with Ctrl they press no menu item on keydown', async () => {
    await show([key('run', 'Ctrl+Enter')]);
    const menu = put('<ul role="menu"><li><a role="menuitem" tabindex="0">Quarantine</a></li></ul>');
    const item = menu.querySelector('a') as HTMLElement;
    item.addEventListener('keydown', () => ran.push('item'));
    type('Enter', { ctrlKey: true }, item);
    expect(ran).toEqual(['run']);
    type('Enter', {}, item);
    expect(ran).toEqual(['run', 'item']);
  });

  it('keys do not reach anything behind a dialog or the palette', async () => {
    await show([key('behind', 'J'), key('escape', 'Escape', { inInputs: true })]);
    const dialog = put('<div class="bp6-overlay bp6-overlay-open"><div class="bp6-dialog"></div></div>');
    expect(type('j')).toBe(false);
    expect(type('Escape')).toBe(false);
    dialog.remove();
    const palette = put('<div class="pp-palette"></div>');
    expect(type('j')).toBe(false);
    palette.remove();
    expect(type('j')).toBe(true);
  });

  it('a key that was handled already, or composes a character, triggers no hotkey', async () => {
    await show([key('screen', 'J')]);
    const stop = (event: Event) => event.preventDefault();
    document.body.addEventListener('keydown', stop);
    type('j');
    document.body.removeEventListener('keydown', stop);
    type('j', { isComposing: true });
    expect(ran).toEqual([]);
  });

  describe('keys pressed while a screen is still loading', () => {
    function Loading(): null {
      useKeysAhead();
      return null;
    }
    const tab = (id: string, inFront: boolean) => {
      const screen = put(`<div class="pp-screen" id="${id}"></div>`);
      screen.toggleAttribute('data-front', inFront);
      return screen;
    };
    /** Renders the placeholder of a screen; returns a function that replaces it with the screen. */
    const load = async () => {
      const place = (screen: JSX.Element) => (
        <TabContext value={{ tabId: 't', isActive: true, isShown: true }}>{screen}</TabContext>
      );
      const { draw, unmount } = await mount(place(<Loading />));
      unmounts.push(unmount);
      return () => draw(place(<Keys hotkeys={[key('verify', 'V'), key('next', 'J')]} />));
    };

    it('are pressed once it is rendered, in order and only once', async () => {
      tab('here', true);
      await show([key('window', 'W')]);
      const arrive = await load();
      for (const name of ['v', 'w', 'j', 'Enter', ' ', 'j']) type(name);
      type('j', { repeat: true });
      type('j', { ctrlKey: true });
      type('v', {}, put('<input />'));
      expect(ran).toEqual(['window']);
      await arrive();
      expect(ran).toEqual(['window', 'verify', 'next', 'next']);
      type('v');
      expect(ran.slice(4)).toEqual(['verify']);
    });

    it('are dropped when another tab is in front by then', async () => {
      const here = tab('here', true);
      const there = tab('there', false);
      const arrive = await load();
      type('v');
      here.removeAttribute('data-front');
      there.setAttribute('data-front', 'true');
      await arrive();
      expect(ran).toEqual([]);
    });

    it('are dropped when the tab shows another screen by then', async () => {
      const here = tab('here', true);
      here.setAttribute('data-screen', 'email');
      const arrive = await load();
      type('v');
      here.setAttribute('data-screen', 'queries');
      await arrive();
      expect(ran).toEqual([]);
    });

    it.each([
      ['under a dialog', '<div class="bp6-overlay bp6-overlay-open"><div class="bp6-dialog"></div></div>'],
      ['in a field that has the focus', '<input />'],
    ])('do nothing %s by then', async (_, html) => {
      tab('here', true);
      const arrive = await load();
      type('v');
      const come = put(html);
      if (come instanceof HTMLElement) come.focus();
      await arrive();
      expect(ran).toEqual([]);
    });
  });

  it('the list of shortcuts contains only the keys that work now', async () => {
    const listed: string[][] = [];
    function List(): JSX.Element | null {
      listed.push(
        [...useHotkeyList()].flatMap(([group, keys]) => keys.map(({ text }) => `${group}: ${text}`)),
      );
      return null;
    }
    unmounts.push((await mount(<List />)).unmount);
    const { front } = await show([key('Next', 'J', { group: 'Triage' }), key('', 'K'), key('Peek', 'P')]);
    expect(listed.at(-1)).toEqual(['Triage: Next', 'This screen: Peek']);
    await front(false);
    expect(listed.at(-1)).toEqual([]);
  });

  it('commands run the current named actions of the front screen', async () => {
    const { front } = await show([key('Save', 'Shift+S', { isCommand: true }), key('Next', 'J')]);
    expect(commandsNow().map(({ text, chord }) => [text, chord])).toEqual([['Save', 'Shift+S']]);
    commandsNow()[0]?.run();
    expect(ran).toEqual(['Save']);
    await front(false);
    expect(commandsNow()).toEqual([]);
  });
});
