import { dictionary } from '#shared/dictionary.ts';
import { type CheckTool, SECURITY_TOOLS, type SecurityTool } from './enums.ts';
import { hasKey } from './narrow.ts';

/**
 * The white-label of a connection: "Brand names are replaced by a white-label name where displayed" (specification,
 * opening). `product` replaces `{product}` in ids; `name` is what people read.
 */
export interface Branding {
  product: string;
  name: string;
}

const PLACEHOLDER = '{product}';

/** Fills in `{product}` in an id or path: `ap_{product}` → `ap_acme`. */
export function expandProduct(template: string, product: string): string {
  return template.replaceAll(PLACEHOLDER, () => product);
}

/** The specification's id of a tool from the service's: `ap_acme` → `ap_{product}`; others unchanged. */
export function canonicalTool(id: string, product: string): string {
  if (product === '') return id;
  return SECURITY_TOOLS.find((tool) => expandProduct(tool, product) === id) ?? id;
}

/** What `{product}` is in the names of a service's tools, or null if it is `product`, or they do not tell. */
export function productIn(tools: readonly string[], product: string): string | null {
  const products = tools.flatMap((id) => /^ap_(.+)$/.exec(id)?.[1] ?? []);
  const [only = null, ...others] = new Set(products);
  return only === product || others.length > 0 ? null : only;
}

export interface ToolName {
  label: string;
  /** For narrow spaces: at most 14 characters. */
  short: string;
  icon: string;
}

const TOOLS: Readonly<Record<SecurityTool | `check_${CheckTool}`, ToolName>> = {
  check_provider: { label: 'Gateway headers', short: 'Gateway', icon: 'envelope' },
  check_sender: { label: 'Sender', short: 'Sender', icon: 'person' },
  check_authentication: { label: 'Authentication', short: 'Authentication', icon: 'endorsed' },
  check_links: { label: 'Links', short: 'Links', icon: 'link' },
  check_attachments: { label: 'Attachments', short: 'Attachments', icon: 'paperclip' },
  check_content: { label: 'Content', short: 'Content', icon: 'align-left' },
  check_rules: { label: 'Your rules', short: 'Rules', icon: 'filter-list' },
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

// Vendor names in labels and ids from a service; the mail platforms that the analyst administers are kept.
const BRANDS =
  /check[ _-]?point|avanan|lastline|symantec|(?<![a-z0-9])gtb(?![a-z0-9])|harmony email(?: & collaboration)?/gi;

/**
 * A service's label without brand names: `{product}` and vendor names become the white-label name. Only for product
 * labels, never for subjects, addresses or other evidence.
 */
export function whiteLabel(text: string, branding: Branding): string {
  return expandProduct(text, branding.name).replace(BRANDS, () => branding.name);
}

/**
 * A tool's display name, by the specification's id or the service's. Known tools use the table, so that every screen
 * says the same; for others `served`, the service's label, or else the id.
 */
export function toolName(id: string, branding: Branding, served?: string | null): ToolName {
  const tool = canonicalTool(id, branding.product);
  if (hasKey(TOOLS, tool)) {
    const { label, short, icon } = TOOLS[tool];
    return { label: expandProduct(label, branding.name), short, icon };
  }
  const label = whiteLabel(served || id, branding);
  return { label, short: label.length > 14 ? `${label.slice(0, 13)}…` : label, icon: 'cube' };
}

export function toolLabel(id: string, branding: Branding, served?: string | null): string {
  return toolName(id, branding, served).label;
}

/** Names of known apps while the catalogue is not there, and of one that old queries name and no catalogue lists. */
const KNOWN_APPS: Readonly<Record<string, string>> = dictionary({
  box: 'Box',
  dropbox: 'Dropbox Business',
  exch_onprem: 'Exchange, on premises',
  google_drive: 'Google Drive',
  google_mail: 'Google Workspace Mail',
  office365_emails: 'Microsoft 365 Mail',
  office365_onedrive: 'OneDrive',
  office365_sharepoint: 'SharePoint',
  office365_teams: 'Teams',
  sharefile: 'ShareFile',
});

/** The label of a SaaS by its id: the catalogue's, else that of a known app, else readable words made from the id. */
export function saasLabel(id: string, apps: readonly Named[], branding: Branding): string {
  const app = apps.find(({ name }) => name === id);
  if (app) return appLabel(app, branding);
  const existingApp = KNOWN_APPS[id];
  if (existingApp !== undefined) return existingApp;
  const words = id.replace(/[_-]+/g, ' ').trim();
  return whiteLabel(words.charAt(0).toUpperCase() + words.slice(1), branding) || id;
}

interface Named {
  name: string;
  label: string;
  is_saas: boolean;
}

/** The label of an app or a tool of the catalogue. */
export const appLabel = ({ name, label, is_saas }: Named, branding: Branding): string =>
  is_saas ? whiteLabel(label || name, branding) : toolLabel(name, branding, label);
