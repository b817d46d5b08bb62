// @vitest-environment happy-dom
import { type JSX, useRef } from 'react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { doing, mount } from '#tests/support/mount.tsx';
import { focusWork, keepFocus, setGridFocus, useFocusReturn } from './focus.ts';

const byId = (id: string) => document.getElementById(id);
const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
/** Presses a key that nothing handles, upon which a lost focus is restored. */
const key = () => window.dispatchEvent(new KeyboardEvent('keydown', { key: 'x' }));
const focusedId = () => document.activeElement?.id;

let unlisten = () => {};
beforeEach(() => {
  unlisten = keepFocus();
});
afterEach(() => {
  unlisten();
  document.body.replaceChildren();
});

/** Renders a front screen. */
function show(html: string): void {
  document.body.innerHTML = `<button id="tab">Tab</button><div class="pp-screen" data-front="true" tabindex="-1" id="screen">${html}</div>`;
}

describe('a focused element that is removed', () => {
  it('[promise] passes the focus to the element now at its position', () => {
    show(
      '<h1 id="h">Query</h1><ul><li><button id="a"></button></li><li id="li"><button id="b"></button></li><li><button id="c"></button></li></ul>',
    );
    byId('b')?.focus();
    byId('li')?.remove();
    key();
    expect(focusedId()).toBe('c');
  });

  it('passes the focus to the previously focused element if it has no neighbour', () => {
    show('<button id="before"></button><div id="layer"><button id="inside"></button></div>');
    byId('before')?.focus();
    document.body.append(byId('layer') as HTMLElement);
    byId('inside')?.focus();
    byId('layer')?.remove();
    key();
    expect(focusedId()).toBe('before');
  });

  it('[promise] passes the focus to the row of a grid that redrew its rows, not to the screen', () => {
    show('<section class="pp-grid" id="grid"><i id="cell" tabindex="-1"></i></section>');
    setGridFocus(
      byId('grid') as HTMLElement,
      () => true,
      () => {
        byId('new')?.focus();
        return true;
      },
    );
    byId('screen')?.focus();
    byId('cell')?.focus();
    byId('screen')?.focus();
    document.body.insertAdjacentHTML('beforeend', '<div id="layer"><button id="inside"></button></div>');
    byId('inside')?.focus();
    (byId('grid') as HTMLElement).innerHTML = '<i id="new" tabindex="-1"></i>';
    byId('layer')?.remove();
    key();
    expect(focusedId()).toBe('new');
  });

  it('passes the focus to the new front screen if its screen is gone', () => {
    show('<button id="old"></button>');
    byId('old')?.focus();
    show('<h1 id="h">Next</h1>');
    key();
    expect(focusedId()).toBe('h');
  });

  it('is not assumed after a click beside the controls, so the focus stays on the page', () => {
    show('<button id="a"></button><h1 id="h"></h1>');
    byId('a')?.focus();
    byId('a')?.blur();
    key();
    expect(document.activeElement).toBe(document.body);
  });
});

describe('a screen that comes to the front', () => {
  it('[promise] focuses its grid, else its first control, else its heading', () => {
    show('<h1 id="h"></h1>');
    focusWork();
    expect(focusedId()).toBe('h');
    show('<button id="first" data-first-focus></button><h1 id="h"></h1>');
    focusWork();
    expect(focusedId()).toBe('first');
    show('<h1 id="h"></h1><section class="pp-grid" id="grid"><i id="cell" tabindex="-1"></i></section>');
    setGridFocus(
      byId('grid') as HTMLElement,
      () => true,
      () => {
        byId('cell')?.focus();
        return true;
      },
    );
    focusWork();
    expect(focusedId()).toBe('cell');
  });

  it('focuses them once they are loaded, unless the focus has moved elsewhere', async () => {
    show('');
    focusWork();
    expect(focusedId()).toBe('screen');
    byId('screen')?.insertAdjacentHTML('beforeend', '<h1 id="h"></h1>');
    await frame();
    expect(focusedId()).toBe('h');
    byId('tab')?.focus();
    byId('screen')?.insertAdjacentHTML('beforeend', '<section class="pp-grid" id="grid"></section>');
    setGridFocus(
      byId('grid') as HTMLElement,
      () => true,
      () => {
        byId('screen')?.focus();
        return true;
      },
    );
    await frame();
    expect(focusedId()).toBe('tab');
  });
});

describe('a layer that closes', () => {
  function Layer({ isOpen }: { isOpen: boolean }): JSX.Element | null {
    const box = useRef<HTMLDivElement>(null);
    useFocusReturn(isOpen, box);
    // Stays rendered after closing, like a layer whose animation has not ended.
    return (
      <div ref={box}>
        <button type="button" id="inside">
          Inside
        </button>
      </div>
    );
  }
  const open = async () => {
    const from = document.createElement('button');
    from.id = 'from';
    document.body.append(from);
    from.focus();
    const { draw } = await mount(<Layer isOpen={false} />);
    await draw(<Layer isOpen />);
    byId('inside')?.focus();
    return draw;
  };

  it('[promise] returns the focus synchronously', async () => {
    const draw = await open();
    await draw(<Layer isOpen={false} />);
    expect(focusedId()).toBe('from');
  });

  it('leaves the focus where the user moved it', async () => {
    const draw = await open();
    const next = document.createElement('input');
    next.id = 'next';
    document.body.append(next);
    await doing(async () => {
      next.focus();
      await draw(<Layer isOpen={false} />);
    });
    await frame();
    expect(focusedId()).toBe('next');
  });
});
