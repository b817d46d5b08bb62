/** The security tools of the specification as apps, none of them enabled. */
import { CHECK_TOOLS, checkToolId, SECURITY_TOOLS } from '#shared/model/enums.ts';
import { expandProduct, toolLabel } from '#shared/model/white-label.ts';
import type { AppRecord } from './records.ts';
import { BRANDING, PRODUCT, STACK } from './verdicts.ts';

const CATEGORIES: readonly (readonly [RegExp, string])[] = [
  [/^ap_|clicktime|_url/, 'Anti-phishing'],
  [/dlp/, 'Data loss prevention'],
  [/_te|threat_extraction|_av|checkpoint2/, 'Anti-malware'],
  [/anomaly/, 'Anomaly detection'],
];
/** SaaS apps come before the tools in the app store. */
const SAAS_APPS = 7;

/** In the order of SECURITY_TOOLS. */
export const toolCatalogue = (): AppRecord[] =>
  SECURITY_TOOLS.map((tool, index) => {
    const name = expandProduct(tool, PRODUCT);
    const position = STACK.indexOf(name);
    return {
      name,
      label: toolLabel(name, BRANDING),
      state: 'disabled',
      category: CATEGORIES.find(([pattern]) => pattern.test(tool))?.[1] ?? 'Mail provider',
      family: null,
      is_saas: false,
      license_info: null,
      options: {},
      app_store_order: index + SAAS_APPS,
      security_stack_order: position >= 0 ? position : STACK.length + index,
    };
  });

/** The checks of a mail of evidence as tools: all that a folder of mail has of a stack. */
export const checkCatalogue = (): AppRecord[] =>
  CHECK_TOOLS.map((tool, index) => ({
    name: checkToolId(tool),
    label: toolLabel(checkToolId(tool), BRANDING),
    state: 'enabled',
    category: 'Checks of the mail itself',
    family: null,
    is_saas: false,
    license_info: null,
    options: {},
    app_store_order: index + SAAS_APPS,
    security_stack_order: index,
  }));
