/** Runs once before all tests: unpacks the browser and creates the demo tenant that hosts copy. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DEMO } from '#main/connections/activation.ts';
import { openDemo } from '#service/demo/open-demo.ts';
import { prepareChromium } from './chromium.ts';
import { DEMO_DATABASE } from './host.ts';

export default async function prepare(): Promise<() => void> {
  await prepareChromium();
  const dir = mkdtempSync(path.join(os.tmpdir(), 'parapet-demo-'));
  const file = path.join(dir, `demo-${DEMO.emails}-${DEMO.seed}.sqlite`);
  (await openDemo({ path: file, key: null, ...DEMO, now: Date.now() })).store.close();
  process.env[DEMO_DATABASE] = file;
  return () => rmSync(dir, { recursive: true, force: true });
}
