import { describe, expect, it } from 'vitest';
import { deriveVerdict, type ReadVerdict } from './verdict.ts';

const verdictOf = (row: object) => deriveVerdict({ tool: 'checkpoint_te', applicable: true, ...row }).verdict;

describe('a verdict in a field that the catalogue does not name', () => {
  it.each<[object, ReadVerdict]>([
    [{ status: 'finished', verdict: 'phsh' }, 'found'],
    [{ status: 'finished', verdictCode: 'malw' }, 'found'],
    [{ status: 'finished', 'verdict-code': 'spm' }, 'spam'],
    [{ status: 'ok', result: 'found' }, 'found'],
    [{ status: 'clean', scan_result: 'suspicious' }, 'suspicious'],
    [{ status: 'ok', verdict: 'found-no-click' }, 'found-no-click'],
    [{ status: 'ok', verdict: 'not scanned' }, 'not-scanned'],
    [{ status: 'finished', result: { verdict_code: 'hphsh' } }, 'found'],
    [{ status: 'finished', result: { matches: 3 } }, 'found'],
    [{ status: 'finished', verdicts: ['clean', 'malw'] }, 'found'],
    [{ status: 'finished', match_count: 2 }, 'found'],
    [{ status: 'finished', numberOfMatches: '2' }, 'found'],
    [{ status: 'finished', matches: 0, detections: [{ name: 'x' }] }, 'found'],
    [{ status: 'finished', is_malicious: true }, 'found'],
    [{ status: 'finished', isSuspicious: 1 }, 'suspicious'],
    [{ status: 'finished', is_spam: true }, 'spam'],
    [{ result: 'clean', matchCount: 0 }, 'clean'],
    [{ scan_status: 'finished', malicious: false, threats: [] }, 'clean'],
    [{ status: 'clean', threat_name: 'none', is_phishing: 'false' }, 'clean'],
    [{ status: 'clean', verdict: null, result: '' }, 'clean'],
  ])('%j: %s', (row, verdict) => {
    expect(verdictOf(row)).toBe(verdict);
  });

  it.each([
    { status: 'finished', verdict: 'grey' },
    { status: 'finished', verdict: 7 },
    { status: 'finished', result: { level: 4 } },
    { status: 'finished', match_count: 'many' },
    { status: 'finished', threat: 'Emotet' },
    { match_count: 'many' },
  ])('is unknown, not clean, if it cannot be read: %j', (row) => {
    expect(verdictOf(row)).toBe('unknown');
  });

  it.each([
    { error_count: 3, result_id: 'r-7', matched_file: 'a.pdf', verdict_time: '2026-11-20' },
    { scan_id: 7, tool_status: 'enabled', link_replacement: 'links_replaced', threat_emulation: {} },
  ])('is not taken from other fields: %j', (row) => {
    expect(verdictOf({ status: 'finished', matches: 0, ...row })).toBe('clean');
  });

  it('is the raw code', () => {
    const row = { tool: 'checkpoint_te', applicable: true, status: 'finished', verdict: 'phsh' };
    expect(deriveVerdict(row)).toEqual({ verdict: 'found', rawCode: 'phsh', error: false });
  });

  it('that is an error is never clean', () => {
    const row = { tool: 'checkpoint_te', applicable: true, status: 'finished', result: 'error' };
    expect(deriveVerdict(row)).toMatchObject({ verdict: 'not-scanned', error: true });
  });
});
