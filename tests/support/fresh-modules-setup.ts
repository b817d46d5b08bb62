/**
 * Runs first before every test file that renders: the window's stores keep state that later files of the process would
 * see. Libraries stay loaded, which is most of what such a file imports.
 */
import { vi } from 'vitest';

vi.resetModules();
