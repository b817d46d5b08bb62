import { SCAN_RESULTS, type ScanResult } from './enums.ts';

/** "Scan results: clean, finished, ok, benign, error." null for other words. */
export function parseScanResult(value: unknown): ScanResult | null {
  if (typeof value !== 'string' || value.length > 32) return null;
  const word = value.trim().toLowerCase();
  return SCAN_RESULTS.find((result) => result === word) ?? null;
}

/** The scan finished without a finding: clean, finished, ok, benign. Matches still decide (verdict.ts). */
export function isEndedScan(value: unknown): boolean {
  const result = parseScanResult(value);
  return result !== null && result !== 'error';
}
