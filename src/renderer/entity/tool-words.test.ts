import { expect, test } from 'vitest';
import { withToolNames } from './tool-words.ts';

const branding = { product: 'guard', name: 'Guard' };

test.each([
  ['checkpoint_te', 'Sandbox'],
  ['ap_guard', 'Anti-phishing'],
  ['checkpoint_te, dlp_checkpoint,lastline_av_file', 'Sandbox, Data loss prevention, Second antivirus'],
  ['a.keller@aldermoor.example', 'a.keller@aldermoor.example'],
  ['Moved to /checkpoint_te', 'Moved to /checkpoint_te'],
  ['checkpoint_te, and others', 'checkpoint_te, and others'],
  ['', ''],
])('%j reads %j', (text, words) => expect(withToolNames(text, branding)).toBe(words));
