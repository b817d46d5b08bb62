/**
 * Runs first before every test file that renders: files of one process would share the window's stores, the focus and
 * the listeners of its document. Libraries stay loaded, which is most of what such a file imports.
 */
import { vi } from 'vitest';
import { builtinEnvironments } from 'vitest/runtime';

vi.resetModules();
await builtinEnvironments['happy-dom'].setup(globalThis, {});
