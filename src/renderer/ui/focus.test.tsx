// @vitest-environment happy-dom
import { type JSX, useRef } from 'react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { doing, mount } from '#tests/support/mount.tsx';
import { focusWork, keepFocus, setGridFocus, useFocusReturn } from './focus.ts';

const byId = (id: string) => document.getElementById(id);
const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
/** A key that nothing listens for; as it comes, a lost focus is given a place. */
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

/** Puts a screen in front. */
function show(html: string): void {
  document.body.innerHTML = `<button id="tab">Tab</button><div class="pp-screen" data-front="true" tabindex="-1" id="screen">${html}</div>`;
}

describe('what vanishes with the focus in it', () => {
  it('gives it to what stands there then', () => {
    show(
      '<h1 id="h">Query</h1><ul><li><button id="a"></button></li><li id="li"><button id="b"></button></li><li><button id="c"></button></li></ul>',
    );
    byId('b')?.focus();
    byId('li')?.remove();
    key();
    expect(focusedId()).toBe('c');
  });

  it('far from anything, to where it was before', () => {
    show('<button id="before"></button><div id="layer"><button id="inside"></button></div>');
    byId('before')?.focus();
    document.body.append(byId('layer') as HTMLElement);
    byId('inside')?.focus();
    byId('layer')?.remove();
    key();
    expect(focusedId()).toBe('before');
  });

  it('far from a grid that drew its rows anew, to its row, not to the screen around it', () => {
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

  it('with its screen, to the screen that is in front then', () => {
    show('<button id="old"></button>');
    byId('old')?.focus();
    show('<h1 id="h">Next</h1>');
    key();
    expect(focusedId()).toBe('h');
  });

  it('a press beside the controls takes it from nobody', () => {
    show('<button id="a"></button><h1 id="h"></h1>');
    byId('a')?.focus();
    byId('a')?.blur();
    key();
    expect(document.activeElement).toBe(document.body);
  });
});

describe('a screen that comes to the front', () => {
  it('has it in its grid, else at its first control, else in its heading', () => {
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

  it('while it is loading waits for them, unless somebody went on meanwhile', async () => {
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
    // As one that is drawn until its animation ends.
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

  it('gives it back in the same moment', async () => {
    const draw = await open();
    await draw(<Layer isOpen={false} />);
    expect(focusedId()).toBe('from');
  });

  it('leaves it with what somebody went on to', async () => {
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
