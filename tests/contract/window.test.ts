/**
 * Hostile pages in a real browser try to get out of the window, following Electron's security checklist. Also tests that
 * the stand-in transfers values as Electron does.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { WebContents } from 'electron';
import { afterAll, test as anyTest, beforeAll, beforeEach, describe, expect, vi } from 'vitest';
import { SECURITY_HEADERS } from '#main/host/content-policy.ts';
import type { Wire } from '#shared/bridge/frames.ts';
import { soon } from '#tests/support/soon.ts';
import { createCodec } from '../electron-standin/codec.ts';
import * as standIn from '../electron-standin/electron.ts';
import { NO_WINDOW, type WindowCarrier, windowCarrier } from './window-carrier.ts';

vi.mock('electron', () => import('../electron-standin/electron.ts'));

const test = anyTest.skipIf(NO_WINDOW !== null);
const root = path.resolve(import.meta.dirname, '../..');
const wires: { frames: unknown[]; wire: Wire; closed: boolean }[] = [];
let carrier: WindowCarrier;
let window: Awaited<ReturnType<WindowCarrier['window']>>['window'];
let end: () => void;

beforeAll(async () => {
  carrier = await windowCarrier((wire) => {
    const entry = { frames: [] as unknown[], wire, closed: false };
    wire.onFrame((frame) => entry.frames.push(frame));
    wires.push(entry);
    return () => {
      entry.closed = true;
    };
  });
  ({ window, end } = await carrier.window());
});
afterAll(async () => {
  end();
  await carrier.stop();
});
beforeEach(() => {
  standIn.session.defaultSession.asked.length = 0;
});

const run = (script: string) => carrier.run(window, script);
const questions = () => standIn.session.defaultSession.asked;
const page =
  (body: string, headers: Record<string, string> = SECURITY_HEADERS) =>
  () =>
    new Response(`<!doctype html><meta charset="utf-8">${body}`, {
      headers: { ...headers, 'content-type': 'text/html' },
    });
/** Opens another page of the product's origin. */
const show = (path: string) => window.loadURL(`app://parapet${path}`);
const home = () => show('/index.html');

test('the page has the wire, and no access to Node or Electron', async () => {
  const reach = await run(`({
    wire: Object.keys(parapetWire), frozen: Object.isFrozen(parapetWire),
    found: ['require', 'process', 'module', 'electron', 'Buffer', 'global', 'ipcRenderer', 'contextBridge'].filter((name) => name in globalThis),
    origin: isSecureContext,
  })`);
  expect(reach).toEqual({
    wire: ['send', 'onFrame', 'onClose', 'drop'],
    frozen: true,
    found: [],
    origin: true,
  });
  await expect(run('parapetWire.send = () => {}; parapetWire.send === undefined')).resolves.toBe(false);
});

test('frames have no wire, and workers have no Node', async () => {
  carrier.pages.set('/frame.html', page('<title>frame</title>'));
  carrier.pages.set(
    '/worker.js',
    () =>
      new Response('postMessage([typeof require, typeof process, typeof parapetWire])', {
        headers: { 'content-type': 'text/javascript' },
      }),
  );
  expect(
    await run(
      `new Promise((go) => { const f = document.createElement('iframe'); f.srcdoc = '<p>mail'; f.sandbox = 'allow-same-origin'; f.onload = () => go(typeof f.contentWindow.parapetWire); document.body.append(f); })`,
    ),
  ).toBe('undefined');
  expect(
    await run(
      `new Promise((go) => { const w = new Worker('/worker.js', { type: 'module' }); w.onmessage = (e) => go(e.data); })`,
    ),
  ).toEqual(['undefined', 'undefined', 'undefined']);
  await home();
});

describe('the content security policy, enforced by the browser', () => {
  test.each([
    ['code from a string', `try { Function('1'); 'ran' } catch (error) { error.name }`, 'EvalError'],
    [
      'an inline script',
      `(() => { const s = document.createElement('script'); s.textContent = 'window.ran = true'; document.body.append(s); return String(window.ran); })()`,
      'undefined',
    ],
    [
      'a request to another origin',
      `fetch('https://evil.example/').then(() => 'sent', (error) => error.name)`,
      'TypeError',
    ],
    [
      'an image of another origin',
      `new Promise((go) => { const i = new Image(); i.onerror = () => go('blocked'); i.onload = () => go('shown'); i.src = 'https://evil.example/p.png'; })`,
      'blocked',
    ],
    [
      'a form',
      `(() => { const f = document.createElement('form'); f.action = 'https://evil.example/'; document.body.append(f); f.submit(); return 'sent nowhere'; })()`,
      'sent nowhere',
    ],
    [
      'a base',
      `(() => { const b = document.createElement('base'); b.href = 'https://evil.example/'; document.head.append(b); return document.baseURI.includes('evil'); })()`,
      false,
    ],
  ])('%s', async (_what, script, expected) => {
    expect(await run(script)).toBe(expected);
    expect(questions()).toEqual([]);
  });

  test('a wrong content type is not a script', async () => {
    carrier.pages.set(
      '/text.txt',
      () =>
        new Response('window.ran = true', { headers: { ...SECURITY_HEADERS, 'content-type': 'text/plain' } }),
    );
    expect(
      await run(
        `new Promise((go) => { const s = document.createElement('script'); s.src = '/text.txt'; s.onload = () => go('ran'); s.onerror = () => go('refused'); document.body.append(s); })`,
      ),
    ).toBe('refused');
  });
});

test.each(['https://evil.example/p.png', 'http://127.0.0.1:1/', 'https://other.app.invalid/x'])(
  'no request reaches %s even without a policy',
  async (url) => {
    carrier.pages.set('/open.html', page('<title>open</title>', {}));
    await show('/open.html');
    standIn.session.defaultSession.asked.length = 0;
    expect(
      await run(`fetch(${JSON.stringify(url)}, { mode: 'no-cors' }).then(() => 'sent', () => 'stopped')`),
    ).toBe('stopped');
    expect(questions()).toEqual([
      { url: url.replace('https://other.app.invalid', 'app://other'), outcome: 'cancelled' },
    ]);
    await home();
  },
);

describe('navigation', () => {
  const stays = async (script: string) => {
    const went = vi.fn();
    window.webContents.on('did-navigate', went);
    await run(script);
    // By the next round trip a navigation would have been committed.
    await soon(() => expect(questions().at(-1)?.outcome).toBe('prevented'));
    await run('1');
    window.webContents.off('did-navigate', went);
    expect(went).not.toHaveBeenCalled();
    expect(await run('location.pathname')).toBe('/index.html');
  };

  test.each([
    'https://evil.example/',
    'http://127.0.0.1/',
    'https://other.app.invalid/',
    'https://parapet.app.invalid.evil.example/',
  ])('the page cannot go to %s', async (url) => stays(`location.href = ${JSON.stringify(url)}; 0`));

  test.each([
    'file:///etc/passwd',
    'mailto:a@b.example',
    'data:text/html,x',
    'javascript:void(document.title="x")',
  ])('nor to %s', async (url) => {
    await run(`location.href = ${JSON.stringify(url)}; 0`).catch(() => undefined);
    await run('new Promise((go) => setTimeout(go, 50))');
    expect(await run('location.pathname + document.title')).toBe('/index.htmlParapet');
  });

  test('links, frames and redirects to other origins are blocked too', async () => {
    await stays(
      `(() => { const a = document.createElement('a'); a.href = 'https://evil.example/'; document.body.append(a); a.click(); })()`,
    );
    await run(
      `(() => { const f = document.createElement('iframe'); f.srcdoc = '<p>mail'; document.body.append(f); f.onload = () => { f.onload = null; f.contentWindow.location.href = '/frame.html'; }; })()`,
    );
    await soon(() =>
      expect(questions().at(-1)).toEqual({ url: 'app://parapet/frame.html', outcome: 'prevented' }),
    );
    carrier.pages.set(
      '/redirect.html',
      () => new Response(null, { status: 302, headers: { location: 'app://parapet/frame.html' } }),
    );
    await run(`location.href = '/redirect.html'; 0`);
    await soon(() =>
      expect(questions().at(-1)).toEqual({ url: 'app://parapet/frame.html', outcome: 'prevented' }),
    );
    expect(await run('location.pathname')).toBe('/index.html');
    await home();
  });

  test('another page of the product gets a new wire, and the previous wire closes', async () => {
    await run('parapetWire.send({ type: "cancel", id: 1 }); 0');
    await soon(() => expect(wires.at(-1)?.frames).toEqual([{ type: 'cancel', id: 1 }]));
    const before = wires.at(-1)!;
    await run(`location.href = '/index.html?again'; 0`);
    await soon(() => expect(before.closed).toBe(true));
    before.wire.send({ type: 'done', id: 1, output: 'late' });
    await soon(async () => expect(await run('document.readyState + location.search')).toBe('complete?again'));
    await run('parapetWire.send({ type: "cancel", id: 2 }); 0');
    await soon(() => expect(wires.at(-1)?.frames).toEqual([{ type: 'cancel', id: 2 }]));
    expect(wires.at(-1)).not.toBe(before);
    await home();
  });
});

test.each([
  ['window.open', `String(window.open('https://evil.example/'))`],
  ['window.open of our own origin', `String(window.open('/index.html'))`],
  [
    'a link with a target',
    `(() => { const a = document.createElement('a'); a.href = 'https://evil.example/'; a.target = '_blank'; a.rel = 'noopener'; document.body.append(a); a.click(); return 'clicked'; })()`,
  ],
])('no second window: %s', async (_what, script) => {
  await run(script);
  await soon(() => expect(questions().map(({ outcome }) => outcome)).toEqual(['prevented']));
  expect(standIn.BrowserWindow.getAllWindows()).toHaveLength(1);
});

test('all permissions except writing to the clipboard are refused', async () => {
  const state = (name: string) =>
    run(`navigator.permissions.query({ name: '${name}' }).then((found) => found.state)`);
  for (const name of [
    'geolocation',
    'notifications',
    'camera',
    'microphone',
    'clipboard-read',
    'midi',
    'idle-detection',
  ])
    expect([name, await state(name)]).toEqual([name, 'denied']);
  expect(await state('clipboard-write')).toBe('granted');
  expect(
    await run(
      `new Promise((go) => navigator.geolocation.getCurrentPosition(() => go('here'), (error) => go(error.code)))`,
    ),
  ).toBe(1);
});

test('a page cannot download anything', async () => {
  const { downloads } = standIn.session.defaultSession;
  await run(
    `(() => { const a = document.createElement('a'); a.href = URL.createObjectURL(new Blob(['x'])); a.download = 'x.txt'; a.click(); })()`,
  );
  await soon(() => expect(downloads.map(({ prevented }) => prevented)).toEqual([true]));
});

test('a crashed page reloads once, and its wire has ended', async () => {
  await run('parapetWire.send({ type: "cancel", id: 3 }); 0');
  await soon(() => expect(wires.at(-1)?.frames).toEqual([{ type: 'cancel', id: 3 }]));
  const before = wires.at(-1)!;
  const loaded = new Promise((resolve) => window.webContents.once('did-finish-load', resolve));
  window.webContents.crash();
  await loaded;
  expect(before.closed).toBe(true);
  expect(await run('location.pathname + typeof parapetWire.send')).toBe('/index.htmlfunction');
});

describe('values between page and main process', () => {
  const sparse: unknown[] = [1, 2, 3];
  delete sparse[1];
  const values = [
    undefined,
    null,
    -0,
    Number.NaN,
    2 ** 60,
    12n ** 30n,
    '\uD800 lone',
    new Date(5),
    /a+/giu,
    new Map<unknown, unknown>([['a', new Set([1, { b: undefined }])]]),
    new Uint8Array([1, 2, 255]).subarray(1),
    new Float64Array([0.5]),
    sparse,
    new Error('far'),
  ];

  test('arrive unchanged', () => {
    const codec = createCodec();
    const back = codec.decode(codec.encode(values)) as unknown[];
    expect(back).toEqual(values);
    expect(Object.is(back[2], -0)).toBe(true);
    expect(1 in (back[12] as unknown[])).toBe(false);
    const loop: { self?: unknown; twice: unknown[] } = { twice: [] };
    const shared = {};
    Object.assign(loop, { self: loop, twice: [shared, shared] });
    const again = codec.decode(codec.encode(loop)) as typeof loop;
    expect(again.self).toBe(again);
    expect(again.twice[0]).toBe(again.twice[1]);
    expect(codec.decode(codec.encode(JSON.parse('{"__proto__": {"a": 1}}')))).toEqual(
      JSON.parse('{"__proto__": {"a": 1}}'),
    );
  });

  test('also arrive unchanged through the real page, both ways', async () => {
    const frame = `[undefined, -0, 12n, new Date(5), new Map([[1, new Set([2])]]), new Uint8Array([9])]`;
    await run(`globalThis.got = new Promise((go) => parapetWire.onFrame(go)); parapetWire.send(${frame}); 0`);
    await soon(() =>
      expect(wires.at(-1)?.frames.at(-1)).toEqual([
        undefined,
        -0,
        12n,
        new Date(5),
        new Map([[1, new Set([2])]]),
        new Uint8Array([9]),
      ]),
    );
    window.webContents.send('frame', [12n, new Date(5), new Map([[1, 2]]), undefined]);
    expect(
      await run(`got.then(([a, b, c, d]) => [typeof a, b.getTime(), c.get(1), d === undefined])`),
    ).toEqual(['bigint', 5, 2, true]);
  });

  test.each(['() => {}', 'Symbol()', 'document.body', 'Promise.resolve()', 'new WeakMap()'])(
    '%s cannot be sent to the main process',
    async (value) => {
      const before = wires.flatMap(({ frames }) => frames).length;
      await expect(run(`parapetWire.send({ inside: ${value} })`)).rejects.toThrow('could not be cloned');
      expect(wires.flatMap(({ frames }) => frames)).toHaveLength(before);
    },
  );
});

test('the page is notified when its wire closes', async () => {
  const other = await carrier.window();
  await carrier.run(
    other.window,
    'globalThis.ended = new Promise((go) => parapetWire.onClose(() => go("closed"))); parapetWire.send({ type: "cancel", id: 1 }); 0',
  );
  await soon(() => expect(wires.at(-1)?.frames).toHaveLength(1));
  const { window: still } = other;
  const destroy = vi.spyOn(still, 'destroy').mockImplementation(() => {});
  other.end();
  expect(await carrier.run(still, 'ended')).toBe('closed');
  destroy.mockRestore();
  still.destroy();
});

/** The names that the product imports from Electron, without types. */
function imported(folder: string): Set<string> {
  const names = new Set<string>();
  for (const file of readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })) {
    if (!/\.ts$/.test(file) || /\.test\.ts$/.test(file)) continue;
    const text = readFileSync(path.join(root, folder, file), 'utf8');
    expect(text).not.toMatch(/import \* as \w+ from 'electron'|import\('electron'\)/);
    for (const [, inside = ''] of text.matchAll(/import \{([^}]*)\} from 'electron'/g))
      for (const part of inside.split(',').map((word) => word.trim()))
        if (part !== '' && !part.startsWith('type ')) names.add(part.split(' ')[0]!);
  }
  return names;
}

test('the stand-in has every import of the product from Electron, and the product does not import shell', () => {
  const main = imported('src/main');
  expect(main.size).toBeGreaterThan(5);
  expect([...main].filter((name) => !(name in standIn))).toEqual([]);
  // `shell` could open a path or URL chosen by a page.
  expect(main.has('shell')).toBe(false);
  expect([...imported('src/preload')].sort()).toEqual(['contextBridge', 'ipcRenderer', 'webUtils']);
  const built = readFileSync(path.join(root, 'out/preload/index.cjs'), 'utf8');
  expect([...built.matchAll(/require\("([^"]+)"\)/g)].map(([, name]) => name)).toEqual(['electron']);
});

test('Electron is pinned to an exact version', () => {
  const { devDependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  expect(devDependencies['electron']).toMatch(/^\d+\.\d+\.\d+$/);
});

test('a window with weaker isolation is refused', () => {
  for (const weaker of [
    { contextIsolation: false },
    { sandbox: false },
    { nodeIntegration: true },
    { webSecurity: false },
    { webviewTag: true },
  ])
    expect(
      () =>
        new standIn.BrowserWindow({
          webPreferences: {
            contextIsolation: true,
            sandbox: true,
            nodeIntegration: false,
            nodeIntegrationInSubFrames: false,
            nodeIntegrationInWorker: false,
            webSecurity: true,
            webviewTag: false,
            ...weaker,
          },
        }),
    ).toThrow('shows no window');
  expect((window.webContents as unknown as WebContents).isDestroyed()).toBe(false);
});
