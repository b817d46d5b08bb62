import type { Attachment } from '#shared/model/entities.ts';
import { type DerivedVerdict, deriveVerdict } from '#shared/model/verdict.ts';

/** The verdict on one attachment; without a code or a count nobody has said anything of it. */
export function attachmentVerdict(attachment: Attachment): DerivedVerdict {
  return deriveVerdict({
    tool: '',
    applicable: true,
    verdict_code: attachment.verdict_code,
    matches: attachment.matches,
  });
}

const RUNS =
  /\.(?:html?|xht|svg|exe|scr|js|jse|vbs|vbe|wsf|hta|lnk|bat|cmd|ps1|com|pif|jar|iso|img|vhdx?|one|chm|msi|cpl|url)$/i;

/**
 * A name that ends in two extensions, the last of which opens something else than the first promises:
 * `INV.pdf.html` → ['INV.pdf', '.html']; null for any other name.
 */
export function doubleExtension(name: string): [string, string] | null {
  const last = RUNS.exec(name);
  if (last === null) return null;
  const lead = name.slice(0, last.index);
  return /\.[a-z0-9]{2,5}\s*$/i.test(lead) ? [lead, last[0]] : null;
}

/** "3 · 143 KB" needs every size; null when one is not known. */
export function totalSize(attachments: readonly Attachment[]): number | null {
  let sum = 0;
  for (const { size } of attachments) {
    if (typeof size !== 'number') return null;
    sum += size;
  }
  return sum;
}
