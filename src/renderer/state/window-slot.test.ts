import { beforeEach, expect, it, vi } from 'vitest';

/** The part of the Web Locks API that is used here. */
function locksOf() {
  const held = new Map<string, () => void>();
  const request = async (name: string, options: LockOptions, run: (lock: unknown) => unknown) => {
    if (held.has(name)) {
      if (options.ifAvailable) return run(null);
      throw new DOMException('', 'TimeoutError');
    }
    held.set(name, () => held.delete(name));
    return run({ name });
  };
  return { held, locks: { request } as unknown as LockManager };
}
const storage = () => {
  const storage = new Map<string, string>();
  return {
    getItem: (key: string) => storage.get(key) ?? null,
    setItem: (key: string, value: string) => void storage.set(key, value),
  };
};
/** A window, with its own instance of the module. */
async function open(locks: LockManager, store = storage()) {
  vi.resetModules();
  const { claimWindow, ofThisWindow } = await import('./window-slot.ts');
  await claimWindow(locks, store);
  return { name: ofThisWindow('demo'), kept: store };
}

let world = locksOf();
beforeEach(() => {
  world = locksOf();
});

it('[promise] each window has its own values; the first stores them under the plain name', async () => {
  expect((await open(world.locks)).name).toBe('demo');
  expect((await open(world.locks)).name).toBe('demo#2');
  expect((await open(world.locks)).name).toBe('demo#3');
});

it('a reloaded window keeps its own values', async () => {
  await open(world.locks);
  const second = await open(world.locks);
  world.held.get('parapet-window-1')?.();
  expect((await open(world.locks, second.kept)).name).toBe('demo#2');
});

it('a duplicated window counts as another window', async () => {
  const first = await open(world.locks);
  expect((await open(world.locks, first.kept)).name).toBe('demo#2');
});

it('the number of a closed window is used again', async () => {
  await open(world.locks);
  await open(world.locks);
  world.held.get('parapet-window-0')?.();
  expect((await open(world.locks)).name).toBe('demo');
});
