// @vitest-environment happy-dom
/** What browsers allow a page only while it handles a click or a key; Safari is the strictest. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeBridge } from '#tests/support/reads.ts';
import { withOwnClipboard } from './connect.ts';
import { pickFile, writeClipboard } from './host-dialogs.ts';

let allowed = false;
const refuse = () => new DOMException('Only on a click', 'NotAllowedError');
const dialog = () => document.querySelector('dialog');
const button = (name: string) =>
  [...(dialog()?.querySelectorAll('button') ?? [])].find(({ textContent }) => textContent === name);
/** A click of the analyst. */
const press = (name: string) => {
  allowed = true;
  button(name)?.click();
  allowed = false;
};

beforeEach(() => {
  allowed = false;
});
afterEach(() => {
  dialog()?.remove();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe('the clipboard', () => {
  let written: string[] = [];
  beforeEach(() => {
    written = [];
    vi.spyOn(navigator.clipboard, 'writeText').mockImplementation(async (text) => {
      if (!allowed) throw refuse();
      written.push(text);
    });
  });

  it('is written by the page, within the click that copies', async () => {
    const call = vi.fn(async () => ({}));
    const bridge = withOwnClipboard(fakeBridge({ call, stream: call }));
    allowed = true;
    const copied = bridge.call('clipboard.write', { text: 'a.example' });
    expect(written).toEqual(['a.example']);
    expect(await copied).toEqual({});
    expect(call).not.toHaveBeenCalled();
    await bridge.call('app.ping', {});
    expect(call).toHaveBeenCalledOnce();
  });

  it('is written at another click if the text arrives too late for the first', async () => {
    const copied = writeClipboard('rows');
    await expect.poll(() => button('Copy')).toBeDefined();
    expect(written).toEqual([]);
    press('Copy');
    await copied;
    expect(written).toEqual(['rows']);
    expect(dialog()).toBeNull();
  });

  it('is not reported as written when the browser refused', async () => {
    const copied = writeClipboard('rows');
    await expect.poll(() => button('Copy')).toBeDefined();
    // Refused even within the click, by the settings of the browser.
    button('Copy')?.click();
    await expect.poll(() => dialog()?.querySelector('[role="alert"]')?.textContent).toMatch(/refused/);
    press('Cancel');
    await expect(copied).rejects.toThrow('Nothing was copied.');
    expect(written).toEqual([]);
  });
});

describe('the file picker', () => {
  const REQUEST = {
    host: 'pick',
    id: 'x'.repeat(24),
    title: 'Import',
    accept: '.json',
    pair: false,
  } as const;
  const file = new File(['{}'], 'queries.json');
  let posted: string[] = [];
  beforeEach(() => {
    posted = [];
    vi.stubGlobal('fetch', async (url: string) => {
      posted.push(url);
      return new Response(null, { status: 204 });
    });
    Object.defineProperty(navigator, 'userActivation', { value: { isActive: true }, configurable: true });
    // Like Safari: a scripted click does nothing and reports no error.
    vi.spyOn(HTMLInputElement.prototype, 'click').mockImplementation(() => {});
    Object.defineProperty(HTMLInputElement.prototype, 'showPicker', {
      configurable: true,
      value(this: HTMLInputElement) {
        if (!allowed) throw refuse();
        Object.defineProperty(this, 'files', { value: [file], configurable: true });
        this.dispatchEvent(new Event('change'));
      },
    });
  });

  it('opens at once where the browser allows it', async () => {
    allowed = true;
    expect(await pickFile({ ...REQUEST, maxBytes: 100 })).toBe(true);
    expect(posted).toEqual([`/upload/${REQUEST.id}?name=queries.json`]);
  });

  it('asks for a click where the browser refuses', async () => {
    const picked = pickFile({ ...REQUEST, maxBytes: 100 });
    await expect.poll(() => button('Choose file…')).toBeDefined();
    expect(dialog()?.querySelector('[role="alert"]')?.textContent).toBe('');
    press('Choose file…');
    expect(await picked).toBe(true);
    expect(posted).toEqual([`/upload/${REQUEST.id}?name=queries.json`]);
  });
});
