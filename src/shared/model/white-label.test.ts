import { describe, expect, it, test } from 'vitest';
import { SECURITY_TOOLS } from './enums.ts';
import { canonicalTool, expandProduct, saasLabel, toolLabel, toolName, whiteLabel } from './white-label.ts';

const BRANDING = { product: 'acme', name: 'Acme Shield' };

describe('[spec 1] Brand names are replaced by a white-label name where displayed', () => {
  it('[spec 3] shows the 17 security tools under distinct names without brands', () => {
    const names = SECURITY_TOOLS.map((tool) => toolName(tool, BRANDING));
    expect(names).toHaveLength(17);
    expect(new Set(names.map(({ label }) => label)).size).toBe(17);
    expect(new Set(names.map(({ short }) => short)).size).toBe(17);
    for (const { label, short, icon } of names) {
      expect(label).not.toMatch(/check ?point|lastline|symantec|gtb|avanan|defender|microsoft|\{/i);
      expect(short.length).toBeLessThanOrEqual(14);
      expect(icon).toMatch(/^[a-z-]+$/);
    }
  });
  test.each([
    ['checkpoint_te', 'Sandbox'],
    ['cp_threat_extraction', 'Threat extraction'],
    ['dlp_checkpoint', 'Data loss prevention'],
    ['ap_{product}', 'Anti-phishing'],
    ['ap_acme', 'Anti-phishing'],
    ['clicktime_protection', 'Click-time protection'],
    ['checkpoint_url', 'URL reputation'],
    ['acme_url', 'Acme Shield URL reputation'],
    ['ms_defender', 'Mail provider'],
    ['checkpoint9', 'Acme Shield9'],
    ['new_engine', 'new_engine'],
    ['__proto__', '__proto__'],
  ])('%s is %s', (id, label) => expect(toolLabel(id, BRANDING)).toBe(label));
  test.each([
    ['Check Point Sandbox', 'Acme Shield Sandbox'],
    ['{product} report', 'Acme Shield report'],
    ['dlp_gtb', 'dlp_Acme Shield'],
    ['Microsoft 365 Mail', 'Microsoft 365 Mail'],
    ['', ''],
  ])('%j is shown as %j', (text, shown) => expect(whiteLabel(text, BRANDING)).toBe(shown));
});

test.each([
  ['office365_emails', 'Microsoft 365 Mail'],
  ['office365_onedrive', 'OneDrive'],
  ['some_new_app', 'Some new app'],
  ['constructor', 'Constructor'],
])('without a catalogue, the app %s is %s', (id, label) => expect(saasLabel(id, [], BRANDING)).toBe(label));

describe('[spec 3] a {product} in an id is the product word of the connection', () => {
  test.each([
    ['ap_{product}', 'acme', 'ap_acme'],
    ['{product}_dlp', '$&', '$&_dlp'],
    ['checkpoint_te', 'acme', 'checkpoint_te'],
  ])('%s for %s', (template, product, id) => {
    expect(expandProduct(template, product)).toBe(id);
    expect(canonicalTool(id, product)).toBe(template);
  });
  it('is unchanged when no product is set', () => {
    expect([canonicalTool('ap_', ''), canonicalTool('ap_{product}', '')]).toEqual(['ap_', 'ap_{product}']);
  });
});
