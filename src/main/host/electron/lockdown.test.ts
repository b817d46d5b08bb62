import { EventEmitter } from 'node:events';
import type { Session, WebContents } from 'electron';
import { describe, expect, test, vi } from 'vitest';
import { lockContents, lockSession } from './lockdown.ts';

type Handlers = {
  request: Parameters<Session['setPermissionRequestHandler']>[0];
  check: Parameters<Session['setPermissionCheckHandler']>[0];
  device: Parameters<Session['setDevicePermissionHandler']>[0];
  before: (details: { url: string }, callback: (answer: { cancel?: boolean }) => void) => void;
};

function lockedSession() {
  const handlers: Partial<Handlers> = {};
  const events = new EventEmitter();
  const spelling: boolean[] = [];
  lockSession(
    Object.assign(events, {
      setPermissionRequestHandler: (handler: Handlers['request']) => {
        handlers.request = handler;
      },
      setPermissionCheckHandler: (handler: Handlers['check']) => {
        handlers.check = handler;
      },
      setDevicePermissionHandler: (handler: Handlers['device']) => {
        handlers.device = handler;
      },
      setSpellCheckerEnabled: (enabled: boolean) => spelling.push(enabled),
      webRequest: {
        onBeforeRequest: (handler: Handlers['before']) => {
          handlers.before = handler;
        },
      },
    }) as unknown as Session,
  );
  return { handlers: handlers as Handlers, events, spelling };
}

describe('the session', () => {
  const { handlers, events, spelling } = lockedSession();
  const check = (permission: string, origin: string) =>
    handlers.check!(null, permission as 'media', origin, {} as never);

  test.each([
    'media',
    'geolocation',
    'notifications',
    'clipboard-read',
    'openExternal',
    'fileSystem',
    'usb',
    'unknown',
  ])('denies %s', (permission) => {
    const answer = vi.fn();
    const contents = { getURL: () => 'app://parapet/' } as WebContents;
    handlers.request!(contents, permission as 'media', answer, {} as never);
    expect(answer).toHaveBeenCalledExactlyOnceWith(false);
    expect(check(permission, 'app://parapet')).toBe(false);
  });

  test('allows clipboard writes only to its own page', () => {
    expect(check('clipboard-sanitized-write', 'app://parapet')).toBe(true);
    expect(check('clipboard-sanitized-write', 'https://evil.example')).toBe(false);
  });

  test('denies devices, downloads and the spell checker', () => {
    expect(handlers.device!({} as never)).toBe(false);
    const preventDefault = vi.fn();
    events.emit('will-download', { preventDefault });
    expect(preventDefault).toHaveBeenCalled();
    expect(spelling).toEqual([false]);
  });

  test.each([
    ['https://evil.example/pixel.png', true],
    ['http://127.0.0.1/', true],
    ['ws://evil.example/', true],
    ['file:///etc/passwd', true],
    ['app://other/', true],
    ['nonsense', true],
    ['app://parapet/assets/a.js', false],
    ['data:image/png;base64,AA==', false],
    ['blob:app://parapet/1', false],
  ])('%s is cancelled: %s', (url, cancel) => {
    const answer = vi.fn();
    handlers.before({ url }, answer);
    expect(answer).toHaveBeenCalledExactlyOnceWith({ cancel });
  });
});

describe('the content', () => {
  const openHandlers: ((details: { url: string }) => unknown)[] = [];
  const contents = Object.assign(new EventEmitter(), {
    setWindowOpenHandler: (handler: (details: { url: string }) => unknown) => openHandlers.push(handler),
  });
  lockContents(contents as unknown as WebContents);
  const prevented = (event: string, details: object) => {
    const preventDefault = vi.fn();
    contents.emit(event, { ...details, preventDefault });
    return preventDefault.mock.calls.length > 0;
  };

  test('opens no window', () => {
    expect(openHandlers.map((handler) => handler({ url: 'app://parapet/' }))).toEqual([{ action: 'deny' }]);
  });

  test('attaches no webview and follows no redirect', () => {
    expect(prevented('will-attach-webview', {})).toBe(true);
    expect(prevented('will-redirect', { url: 'https://evil.example/' })).toBe(true);
  });

  test.each([
    ['https://evil.example/', true, true],
    ['file:///etc/passwd', true, true],
    ['app://parapet.evil.example/', true, true],
    ['https://evil.example/', false, true],
    ['app://parapet/index.html', false, true],
    ['app://parapet/index.html', true, false],
    ['about:srcdoc', false, false],
  ])('navigation to %s (top frame %s) is denied: %s', (url, isMainFrame, denied) => {
    expect(prevented('will-frame-navigate', { url, isMainFrame })).toBe(denied);
  });
});
