import { SECURITY_TOOLS, type SecurityTool } from './enums.ts';

/**
 * The white-label of a connection: "Brand names are replaced by a white-label name where displayed"
 * (specification, opening). `product` is what `{product}` stands for in ids; `name` is what people read.
 */
export interface Branding {
  product: string;
  name: string;
}

const PLACEHOLDER = '{product}';

/** An id or a path with `{product}` filled in: `ap_{product}` → `ap_acme`. */
export function expandProduct(template: string, product: string): string {
  return template.replaceAll(PLACEHOLDER, () => product);
}

/** The specification's id of a tool as a service names it: `ap_acme` → `ap_{product}`; others as they are. */
export function canonicalTool(id: string, product: string): string {
  if (product === '') return id;
  return SECURITY_TOOLS.find((tool) => expandProduct(tool, product) === id) ?? id;
}

/** How a tool is shown. */
export interface ToolName {
  label: string;
  /** For tight places: at most 14 characters. */
  short: string;
  /** Name of a Blueprint icon. */
  icon: string;
}

const TOOLS: Readonly<Record<SecurityTool, ToolName>> = {
  checkpoint_te: { label: 'Sandbox', short: 'Sandbox', icon: 'lab-test' },
  cp_threat_extraction: { label: 'Threat extraction', short: 'Extraction', icon: 'cut' },
  dlp_checkpoint: { label: 'Data loss prevention', short: 'DLP', icon: 'id-number' },
  dlp_gtb: { label: 'Second data loss prevention', short: 'DLP 2', icon: 'id-number' },
  checkpoint_av: { label: 'Antivirus', short: 'Antivirus', icon: 'virus' },
  lastline_av_file: { label: 'Second antivirus', short: 'Antivirus 2', icon: 'virus' },
  dlp_symantec: { label: 'Third data loss prevention', short: 'DLP 3', icon: 'id-number' },
  'ap_{product}': { label: 'Anti-phishing', short: 'Anti-phishing', icon: 'shield' },
  clicktime_protection: { label: 'Click-time protection', short: 'Click-time', icon: 'hand-up' },
  '{product}_dlp': { label: '{product} data loss prevention', short: 'DLP 4', icon: 'id-number' },
  checkpoint_url: { label: 'URL reputation', short: 'URL', icon: 'link' },
  '{product}_url': { label: '{product} URL reputation', short: 'URL 2', icon: 'link' },
  lastline_te: { label: 'Second sandbox', short: 'Sandbox 2', icon: 'lab-test' },
  anomaly_detection: { label: 'Anomaly detection', short: 'Anomaly', icon: 'pulse' },
  checkpoint2: { label: 'Threat prevention', short: 'Prevention', icon: 'endorsed' },
  ms_defender: { label: 'Mail provider', short: 'Provider', icon: 'envelope' },
  checkpoint2_files_behind_links: {
    label: 'Files behind links',
    short: 'Linked files',
    icon: 'document-share',
  },
};

// Names of vendors inside labels and ids that a service sends; the mail platforms the analyst administers stay.
const BRANDS =
  /check[ _-]?point|avanan|lastline|symantec|(?<![a-z0-9])gtb(?![a-z0-9])|harmony email(?: & collaboration)?/gi;

/**
 * A label that a service sends, without brand names: `{product}` and vendor names become the white-label name.
 * For labels of the product only: never for subjects, addresses or anything else that is evidence.
 */
export function whiteLabel(text: string, branding: Branding): string {
  return expandProduct(text, branding.name).replace(BRANDS, () => branding.name);
}

/**
 * How to show a tool, by the specification's id or the service's: the 17 by the table, so that every screen says the
 * same. `served`: what the service calls it, the label of a tool that is not in the table; without one it is the id.
 */
export function toolName(id: string, branding: Branding, served?: string | null): ToolName {
  const tool = canonicalTool(id, branding.product);
  if (Object.hasOwn(TOOLS, tool)) {
    const { label, short, icon } = TOOLS[tool as SecurityTool];
    return { label: expandProduct(label, branding.name), short, icon };
  }
  const label = whiteLabel(served || id, branding);
  return { label, short: label.length > 14 ? `${label.slice(0, 13)}…` : label, icon: 'cube' };
}

/** The label of a tool. */
export function toolLabel(id: string, branding: Branding, served?: string | null): string {
  return toolName(id, branding, served).label;
}

/** The label of an app or a tool of the catalogue. */
export const appLabel = (
  { name, label, is_saas }: { name: string; label: string; is_saas: boolean },
  branding: Branding,
): string => (is_saas ? whiteLabel(label || name, branding) : toolLabel(name, branding, label));
