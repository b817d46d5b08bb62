/** The catalogue of the demo tenant: the 17 security tools of the specification, and SaaS apps. */
import { dictionary } from '#shared/dictionary.ts';
import { SECURITY_TOOLS } from '#shared/model/enums.ts';
import type { AppRecord } from '../store/records.ts';
import { toolCatalogue } from '../store/tool-catalogue.ts';

const OFF: Readonly<Record<string, readonly [state: string, licence: string]>> = dictionary({
  cp_threat_extraction: ['disabled', 'demo'],
  dlp_gtb: ['disabled', 'contact_support'],
  dlp_symantec: ['disabled', 'expired'],
  '{product}_dlp': ['display_only', 'paid'],
  '{product}_url': ['disabled', 'demo'],
  lastline_te: ['display_only', 'demo'],
  checkpoint2: ['disabled', 'expired'],
});

/** Options as an administrator would have set them, by kind of tool. */
const OPTIONS: readonly (readonly [RegExp, AppRecord['options']])[] = [
  [/^ap_/, { mode: 'prevent', sensitivity: 'high', learns_from_reports: true }],
  [/clicktime/, { replace_links: true, warn_only: false }],
  [/_url/, { mode: 'prevent' }],
  [/dlp/, { mode: 'monitor', policies: ['Payment cards', 'Personal data'] }],
  [/_te$/, { mode: 'prevent', largest_file_mb: 50, timeout_minutes: 10 }],
  [/_av|checkpoint2/, { mode: 'prevent', largest_file_mb: 100 }],
  [/anomaly/, { mode: 'monitor', days_of_history: 90 }],
];

const SAAS: readonly (readonly [
  name: string,
  label: string,
  state: string,
  licence: string,
  category: string,
])[] = [
  ['office365_emails', 'Microsoft 365 Mail', 'enabled', 'paid', 'Email'],
  ['google_mail', 'Google Workspace Mail', 'enabled', 'paid', 'Email'],
  ['office365_onedrive', 'OneDrive', 'enabled', 'paid', 'File sharing'],
  ['office365_sharepoint', 'SharePoint', 'display_only', 'paid', 'File sharing'],
  ['office365_teams', 'Teams', 'enabled', 'paid', 'Messaging'],
  ['dropbox', 'Dropbox Business', 'enabled', 'demo', 'File sharing'],
  ['slack', 'Slack', 'disabled', 'expired', 'Messaging'],
];

function toolApps(): AppRecord[] {
  return toolCatalogue().map((app, index) => {
    const [state, license_info] = OFF[SECURITY_TOOLS[index] ?? ''] ?? ['enabled', 'paid'];
    const options = OPTIONS.find(([pattern]) => pattern.test(app.name))?.[1] ?? {};
    return { ...app, state, license_info, options };
  });
}

export const demoApps = (): AppRecord[] => [
  ...SAAS.map(
    ([name, label, state, licence, category], index): AppRecord => ({
      name,
      label,
      state,
      category,
      family: name.split('_')[0] ?? name,
      is_saas: true,
      license_info: licence,
      options: licence === 'demo' ? { days_left: 9 } : {},
      app_store_order: index,
      security_stack_order: null,
    }),
  ),
  ...toolApps(),
];
