// Draws resources/icon.png from resources/icon.svg in the tests' Chromium.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright';
import { chromiumLaunch, prepareChromium } from '../tests/e2e/chromium.ts';

const resources = path.resolve(import.meta.dirname, '../resources');
await prepareChromium();
const browser = await chromium.launch(chromiumLaunch());
const page = await browser.newPage({ viewport: { width: 512, height: 512 } });
await page.setContent(`<style>*{margin:0}</style>${readFileSync(path.join(resources, 'icon.svg'), 'utf8')}`);
await page.screenshot({ path: path.join(resources, 'icon.png'), omitBackground: true });
await browser.close();
