/** Ids of tools inside what a service says, in the words of this product. */
import { SECURITY_TOOLS } from '#shared/model/enums.ts';
import { type Branding, canonicalTool, toolLabel } from '#shared/model/white-label.ts';

const isTool = (id: string, branding: Branding): boolean =>
  (SECURITY_TOOLS as readonly string[]).includes(canonicalTool(id, branding.product));

/** A tool by its label, or several of them separated by commas; anything else as it is: it may be evidence. */
export function withToolNames(text: string, branding: Branding): string {
  const parts = text.split(/,\s*/);
  return parts.every((part) => isTool(part, branding))
    ? parts.map((part) => toolLabel(part, branding)).join(', ')
    : text;
}
