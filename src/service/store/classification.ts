/** ap_{product}/emails_classification: how the anti-phishing tool classifies an email. */
import { dictionary } from '#shared/dictionary.ts';
import { type EmailRow, scansOf } from './emails.ts';
import { PRODUCT, verdictOf } from './verdicts.ts';

const WORDS: Readonly<Record<string, string>> = dictionary({
  clean: 'clean',
  bulk: 'bulk',
  spm: 'spam',
  hspm: 'spam',
  phsh: 'phishing',
  hphsh: 'phishing',
  malw: 'malware',
});

/** By the tool's own result only; without one: not_scanned. */
export function classificationOf(row: EmailRow): {
  classification: string;
  verdict_code: string | null;
  matches: number | null;
} {
  const scan = scansOf(row).find(({ tool }) => tool === `ap_${PRODUCT}`);
  if (!scan) return { classification: 'not_scanned', verdict_code: null, matches: null };
  const { verdict } = verdictOf(scan);
  const word =
    verdict === 'suspicious' ? 'suspicious' : (WORDS[scan.code ?? ''] ?? verdict.replaceAll('-', '_'));
  return { classification: word, verdict_code: scan.code ?? null, matches: scan.matches ?? null };
}
