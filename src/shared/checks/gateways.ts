/** What gateways write into the headers of a mail. */
import { dictionary } from '../dictionary.ts';
import { allHeaders, type MailHeader } from '../mail/headers.ts';

const FOREFRONT: Readonly<Record<string, string>> = dictionary({
  SPM: 'spm',
  HSPM: 'hspm',
  PHSH: 'phsh',
  HPHSH: 'hphsh',
  HPHISH: 'hphsh',
  BULK: 'bulk',
  MALW: 'malw',
  AMP: 'amp',
  SPOOF: 'spoof',
  NONE: 'none',
  BIMP: 'bimp',
  DIMP: 'dimp',
  GIMP: 'gimp',
  UIMP: 'uimp',
  OSPM: 'ospm',
  SAP: 'sap',
  FTBP: 'ftbp',
  INTOS: 'intos',
});

export interface GatewayClaim {
  /** A verdict code of the mail provider, or its own word in lower case. */
  code: string;
  words: string;
  header: string;
  value: string;
}

const spam = (isSpam: boolean): string => (isSpam ? 'spm' : 'none');
/** `Yes, score=…`, `NO`, `1`. */
const yes = (value: string): string | null => {
  const word = /^(?:(yes|true|1)|no|false|0)\b/i.exec(value);
  return word && spam(word[1] !== undefined);
};
const level =
  (least: number, code: string) =>
  (value: string): string | null => {
    const number = /^-?\d+(?:\.\d+)?$/.exec(value);
    return number && (Number(value) >= least ? code : 'none');
  };
/** The first word that the value contains decides. */
const wordIn =
  (...codes: [RegExp, string][]) =>
  (value: string): string | null =>
    codes.find(([word]) => word.test(value))?.[1] ?? null;

/** Headers in which gateways write what they found, and the code of it. */
const GATEWAYS: readonly (readonly [string, (value: string) => string | null])[] = [
  ['X-MS-Exchange-Organization-SCL', level(5, 'spm')],
  ['X-MS-Exchange-Organization-PCL', level(4, 'phsh')],
  ['X-Spam-Status', yes],
  ['X-Spam-Flag', yes],
  ['X-Spam', yes],
  ['X-Barracuda-Spam-Status', yes],
  ['X-Barracuda-Spam-Flag', yes],
  ['X-Gm-Spam', yes],
  ['X-Gm-Phishy', (value) => (yes(value) === 'spm' ? 'phsh' : null)],
  [
    'X-Proofpoint-Spam-Details',
    wordIn(
      [/\brule=\w*not_?spam/i, 'none'],
      [/\brule=\w*phish/i, 'phsh'],
      [/\brule=\w*(?:malware|virus)/i, 'malw'],
      [/\brule=\w*bulk/i, 'bulk'],
      [/\brule=\w*spam/i, 'spm'],
    ),
  ],
  // Above the most lenient limit that Mimecast offers.
  ['X-Mimecast-Spam-Score', level(7, 'spm')],
  ['X-Mimecast-Spam-Signature', yes],
  ['X-Mimecast-Bulk-Signature', (value) => (yes(value) === 'spm' ? 'bulk' : null)],
  // That the mail came from outside is no finding.
  ['X-Mimecast-Impersonation-Protect', wordIn([/(?<!\bExternal)=\s*true\b/i, 'spoof'])],
  ['X-Spamd-Result', wordIn([/:\s*true\b/i, 'spm'], [/:\s*false\b/i, 'none'])],
  [
    'X-Rspamd-Action',
    wordIn([/no action|greylist|soft reject/i, 'none'], [/reject|add header|rewrite subject/i, 'spm']),
  ],
  ['X-MailScanner-SpamCheck', wordIn([/^not spam\b/i, 'none'], [/^spam\b/i, 'spm'])],
  ['X-DSPAM-Result', wordIn([/^(?:spam|blacklisted)\b/i, 'spm'], [/^(?:innocent|whitelisted)\b/i, 'none'])],
  ['X-Bogosity', wordIn([/^(?:spam|yes)\b/i, 'spm'], [/^(?:ham|no|unsure)\b/i, 'none'])],
  ['X-VR-SPAMSTATE', wordIn([/^spam\b/i, 'spm'], [/^(?:ok|ham)\b/i, 'none'])],
  ['X-TM-AS-Result', yes],
  ['X-Amavis-Alert', wordIn([/\binfected\b/i, 'malw'], [/\bspam\b/i, 'spm'])],
  ['X-Virus-Status', wordIn([/^(?:infected|yes)\b/i, 'malw'], [/^(?:clean|no)\b/i, 'none'])],
];

/** What Microsoft's report says: a category, and a level of spam. */
function forefrontClaim(value: string): Pick<GatewayClaim, 'code' | 'words'> | null {
  const category = /(?:^|[;\s])CAT:([A-Z]{2,8})/i.exec(value)?.[1]?.toUpperCase();
  const scl = /(?:^|[;\s])SCL:(-?\d)/i.exec(value)?.[1];
  if (category !== undefined)
    return {
      code: FOREFRONT[category] ?? category.toLowerCase(),
      words: `CAT:${category}${scl ? `, SCL ${scl}` : ''}`,
    };
  return scl === undefined ? null : { code: spam(Number(scl) >= 5), words: `SCL ${scl}` };
}

export const gatewayClaims = (headers: readonly MailHeader[]): GatewayClaim[] => [
  ...allHeaders(headers, 'X-Forefront-Antispam-Report').flatMap(({ name, value }) => {
    const claim = forefrontClaim(value);
    return claim === null ? [] : [{ ...claim, header: name, value }];
  }),
  ...GATEWAYS.flatMap(([name, read]) =>
    allHeaders(headers, name).flatMap(({ value }): GatewayClaim[] => {
      const code = read(value.trim());
      return code === null
        ? []
        : [{ code, words: `${name}: ${value.trim().slice(0, 80)}`, header: name, value }];
    }),
  ),
];
